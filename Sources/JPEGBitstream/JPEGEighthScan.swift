/// Reads an eighth of a JPEG's size out of its entropy-coded data: as good as nothing but DC values, and AC coefficients
/// are passed over unread.
///
/// Each 8 × 8 block of samples becomes its mean, which is an eighth of its DC coefficient (ITU-T T.81, A.3.3). Chroma
/// sampled half as often across and down has a block for 2 × 2 samples of the eighth, which become the means of the
/// block's quarters. Arithmetic is integer, as libjpeg does it, to the bit.
///
/// Made for the sound file of the usual kind: one scan of all components, sequential, Huffman-coded, 8 bits. For any
/// other, and at the first bit that isn't as it should be, it declines, and a full decoder has to say what is wrong.
package struct JPEGEighthScan: Sendable {
    /// A component: nothing but numbers, so that going through them costs nothing.
    struct Component: Sendable {
        /// Blocks across and down in an MCU.
        let across: Int
        let down: Int
        /// Samples across and down that a block becomes: 1 or 2.
        let side: Int
        /// Where its plane's samples begin, and how many there are in a row.
        let offset: Int
        let stride: Int
        /// The quantisation step of DC.
        let dcStep: Int
    }

    /// A component's tables.
    struct Tables: Sendable {
        let dc: JPEGHuffmanTable
        let ac: JPEGHuffmanTable
        let quarters: JPEGQuarterWeights
    }

    /// The picture's shape, without samples.
    let shape: JPEGEighthPicture
    let components: [Component]
    let tables: [Tables]
    /// For each component, one after the other, the entries of its DC table and of its AC table.
    let symbols: [UInt32]
    /// For each component, one after the other, the entries of its skipping table.
    let skips: [UInt16]
    let mcusAcross: Int
    let mcusDown: Int
    /// MCUs between restart markers; 0 for no markers.
    let restartInterval: Int

    /// Bytes that the picture's planes will take.
    package let byteCount: Int
    /// The first byte of entropy-coded data, from the JPEG's first byte.
    package let dataOffset: Int

    /// Prepares for the JPEG whose bytes up to its first scan's data are given; nil for one of another kind.
    package init?(header: RawSpan) {
        let structure = JPEGStructure(of: header)
        guard let frame = structure.frame, let scan = structure.scans.first, structure.scanCount == 1,
            frame.process == .baseline || frame.process == .extended, !frame.isArithmetic, !frame.isDifferential,
            frame.precision == 8, frame.height > 0, frame.components.count == 1 || frame.components.count == 3,
            frame.components.map(\.identifier) == scan.components.map(\.identifier),
            Set(frame.components.map(\.identifier)).count == frame.components.count,
            scan.spectralStart == 0, scan.spectralEnd == 63, scan.approximationHigh == 0, scan.approximationLow == 0,
            let tables = try? JPEGTables(structure, in: header)
        else { return nil }

        // A component by itself is coded block by block, whatever its sampling (T.81, A.2.2).
        let isGray = frame.components.count == 1
        let across = isGray ? 1 : Int(frame.components[0].horizontalSampling)
        let down = isGray ? 1 : Int(frame.components[0].verticalSampling)
        guard across * down <= 8 else { return nil }
        let isHalved = across % 2 == 0 && down % 2 == 0
        mcusAcross = (frame.width + 8 * across - 1) / (8 * across)
        mcusDown = (frame.height + 8 * down - 1) / (8 * down)

        var components: [Component] = []
        var planes: [JPEGEighthPicture.Plane] = []
        var componentTables: [Tables] = []
        var (symbols, skips): ([UInt32], [UInt16]) = ([], [])
        var offset = 0
        for (index, component) in frame.components.enumerated() {
            let isLuma = index == 0
            guard isLuma || (component.horizontalSampling == 1 && component.verticalSampling == 1),
                scan.components[index].dcTable <= 3, scan.components[index].acTable <= 3,
                component.quantizationTable <= 3, let dc = tables.dc[Int(scan.components[index].dcTable)],
                let ac = tables.ac[Int(scan.components[index].acTable)],
                let steps = tables.quantization[Int(component.quantizationTable)]
            else { return nil }
            let side = !isLuma && isHalved ? 2 : 1
            let stride = mcusAcross * (isLuma ? across : side)
            components.append(
                Component(
                    across: isLuma ? across : 1, down: isLuma ? down : 1, side: side, offset: offset, stride: stride,
                    dcStep: Int(steps[0])))
            componentTables.append(Tables(dc: dc, ac: ac, quarters: JPEGQuarterWeights(steps)))
            symbols += JPEGSymbolTable(dc, isDC: true).entries + JPEGSymbolTable(ac, isDC: false).entries
            skips += JPEGSkippingTable(ac).entries
            planes.append(
                JPEGEighthPicture.Plane(
                    offset: offset, stride: stride, columns: isLuma ? 1 : across / side, rows: isLuma ? 1 : down / side)
            )
            offset += stride * mcusDown * (isLuma ? down : side)
        }
        self.components = components
        self.tables = componentTables
        self.symbols = symbols
        self.skips = skips
        byteCount = offset
        shape = JPEGEighthPicture(width: (frame.width + 7) / 8, height: (frame.height + 7) / 8, planes: planes)
        restartInterval = scan.restartInterval
        dataOffset = scan.dataOffset
    }
}
