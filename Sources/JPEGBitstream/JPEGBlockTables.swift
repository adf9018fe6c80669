/// The tables for reading a scan's blocks: Huffman look-ups for each component, and how its DC values become samples.
///
/// Each 8 × 8 block of samples becomes its mean, which is an eighth of its DC coefficient (ITU-T T.81, A.3.3). Chroma
/// sampled half as often across and down has a block for 2 × 2 samples of the eighth, which become the means of the
/// block's quarters. Arithmetic is integer, as libjpeg does it, to the bit.
struct JPEGBlockTables: Sendable {
    /// A component, as plain numbers, so that iterating over components costs no reference counting.
    struct Component: Sendable {
        /// Blocks across and down in an MCU.
        let across: Int
        let down: Int
        /// Samples across and down for each block: 1 or 2, or 0 for none.
        let side: Int
        /// The offset of its samples in a row of MCUs, and the samples in one row.
        let offset: Int
        let stride: Int
        /// The quantisation step of DC.
        let dcStep: Int
        /// The offsets of its tables: in `symbols` for DC and for AC, and in `skips`.
        let dcStart: Int
        let acStart: Int
        let skipStart: Int
    }

    /// A component's tables.
    struct Tables: Sendable {
        let dc: JPEGHuffmanTable
        let ac: JPEGHuffmanTable
        let quarters: JPEGQuarterWeights
    }

    /// The most bytes that a block can take: 64 codes of 16 bits, each with 15 extra bits.
    static let maximumBlockByteCount = 256

    let components: [Component]
    let tables: [Tables]
    let symbols: [UInt32]
    let skips: [UInt16]
    /// The most bytes that an MCU can take, plus the reader's look-ahead.
    let margin: Int

    /// - Parameter shape: The layout of the eighth's samples; nil for none.
    init(_ layout: JPEGTileLayout, shape: JPEGEighthPicture?) {
        var components: [Component] = []
        var (symbols, skips): ([UInt32], [UInt16]) = ([], [])
        var places: [JPEGHuffmanTable: (dc: Int?, ac: Int?, skip: Int?)] = [:]
        for (index, component) in layout.components.enumerated() {
            var place = places[component.dc] ?? (nil, nil, nil)
            let dcStart = place.dc ?? symbols.count
            if place.dc == nil { symbols += JPEGSymbolTable(component.dc, isDC: true).entries }
            place.dc = dcStart
            places[component.dc] = place
            place = places[component.ac] ?? (nil, nil, nil)
            let (acStart, skipStart) = (place.ac ?? symbols.count, place.skip ?? skips.count)
            if place.ac == nil {
                symbols += JPEGSymbolTable(component.ac, isDC: false).entries
                skips += JPEGSkippingTable(component.ac).entries
            }
            (place.ac, place.skip) = (acStart, skipStart)
            places[component.ac] = place
            let plane = shape?.planes[index]
            components.append(
                Component(
                    across: component.across, down: component.down,
                    side: plane.map { $0.mcuRows / component.down } ?? 0,
                    offset: plane?.offset ?? 0, stride: plane?.stride ?? 0, dcStep: Int(component.steps[0]),
                    dcStart: dcStart, acStart: acStart, skipStart: skipStart))
        }
        self.components = components
        tables = layout.components.map { Tables(dc: $0.dc, ac: $0.ac, quarters: JPEGQuarterWeights($0.steps)) }
        self.symbols = symbols
        self.skips = skips
        margin = layout.blocksPerMCU * Self.maximumBlockByteCount + 16
    }
}
