/// Where the blocks of a DCT-based frame lie in a row of MCUs, for decoding row by row.
///
/// A row of MCUs holds its components' blocks one component after the other, each row by row, padded to whole MCUs. The
/// MCUs are those of a scan of all components (ITU-T T.81, A.2).
package struct JPEGCoefficientLayout: Hashable, Sendable {
    /// A component of the frame.
    package struct Component: Hashable, Sendable {
        /// Blocks across and down in an MCU.
        package let across: Int
        package let down: Int
        /// Samples across and down.
        package let width: Int
        package let height: Int
        /// The first block in a row of MCUs, and the blocks from there to the one below.
        package let start: Int
        package let stride: Int
        /// The place of the first block's coefficients in a row of MCUs, and their number in each block: 64, or 1 for DC alone.
        let firstCoefficient: Int
        package let coefficientsPerBlock: Int

        /// Blocks across and down that hold samples of the image; a scan of this component alone has no others.
        package var blocksAcross: Int { (width + 7) / 8 }
        package var blocksDown: Int { (height + 7) / 8 }

        /// The place of a block's coefficients in a row of MCUs.
        package func place(of block: Int) -> Int { firstCoefficient &+ (block &- start) &* coefficientsPerBlock }
    }

    /// The components in the order of the frame header.
    package let components: [Component]
    /// The image's size in pixels.
    package let width: Int
    package let height: Int
    /// The largest sampling factors.
    package let horizontalSampling: Int
    package let verticalSampling: Int
    /// MCUs in a row.
    package let mcusAcross: Int
    /// Rows of MCUs.
    package let mcusDown: Int
    /// Blocks in a row of MCUs, and their coefficients.
    package let blockCount: Int
    package let coefficientCount: Int

    /// Bytes of a row of MCUs' coefficients, and of a mask for each block.
    package var byteCount: Int {
        coefficientCount * MemoryLayout<Int16>.size + blockCount * MemoryLayout<UInt64>.size
    }

    /// The largest number of components in a layout.
    package static let maximumComponentCount = 4

    /// The layout of a Huffman-coded frame of the DCT-based processes.
    /// - Throws: `invalidFrame` for another process, for a height of 0, for a precision other than 8 or 12 bits and for
    ///   more than four components.
    package init(_ frame: JPEGFrame, offset: Int = 0) throws(JPEGBitstreamError) {
        func invalid(_ message: String) -> JPEGBitstreamError {
            JPEGBitstreamError(.invalidFrame, message, offset: offset)
        }
        guard !frame.isDifferential, !frame.isArithmetic, frame.process != .lossless else {
            throw invalid("\(frame.marker) isn't a frame of Huffman-coded DCT blocks")
        }
        guard frame.height > 0 else { throw invalid("the frame header has no height") }
        guard frame.precision == 8 || frame.precision == 12 else {
            throw invalid("the samples have \(frame.precision) bits, which must be 8 or 12")
        }
        guard frame.components.count <= Self.maximumComponentCount else {
            throw invalid("the frame has \(frame.components.count) components; the limit is 4")
        }
        let horizontal = frame.components.reduce(1) { max($0, Int($1.horizontalSampling)) }
        let vertical = frame.components.reduce(1) { max($0, Int($1.verticalSampling)) }
        let columns = (frame.width + 8 * horizontal - 1) / (8 * horizontal)
        var components: [Component] = []
        var start = 0
        for component in frame.components {
            let (across, down) = (Int(component.horizontalSampling), Int(component.verticalSampling))
            components.append(
                Component(
                    across: across, down: down,
                    width: (frame.width * across + horizontal - 1) / horizontal,
                    height: (frame.height * down + vertical - 1) / vertical,
                    start: start, stride: columns * across, firstCoefficient: 64 * start, coefficientsPerBlock: 64))
            start += columns * across * down
        }
        self.components = components
        (width, height) = (frame.width, frame.height)
        (horizontalSampling, verticalSampling) = (horizontal, vertical)
        mcusAcross = columns
        mcusDown = (frame.height + 8 * vertical - 1) / (8 * vertical)
        blockCount = start
        coefficientCount = 64 * start
    }

    /// The layout of some columns of MCUs alone, or one in which some components have DC alone.
    /// - Parameter isDCAlone: For each component, whether it has; nil for those that have it here.
    func strip(mcusAcross: Int? = nil, isDCAlone: [Bool]? = nil) -> JPEGCoefficientLayout {
        JPEGCoefficientLayout(self, mcusAcross: mcusAcross ?? self.mcusAcross, isDCAlone: isDCAlone)
    }

    private init(_ whole: JPEGCoefficientLayout, mcusAcross: Int, isDCAlone: [Bool]?) {
        var components: [Component] = []
        var (start, firstCoefficient) = (0, 0)
        for (index, component) in whole.components.enumerated() {
            let stride = mcusAcross * component.across
            let perBlock = isDCAlone.map { $0[index] ? 1 : 64 } ?? component.coefficientsPerBlock
            components.append(
                Component(
                    across: component.across, down: component.down, width: component.width, height: component.height,
                    start: start, stride: stride, firstCoefficient: firstCoefficient, coefficientsPerBlock: perBlock))
            start += stride * component.down
            // The next component's blocks begin in a processor's next line, as all do.
            firstCoefficient += (stride * component.down * perBlock + 63) / 64 * 64
        }
        self.components = components
        (width, height) = (whole.width, whole.height)
        (horizontalSampling, verticalSampling) = (whole.horizontalSampling, whole.verticalSampling)
        self.mcusAcross = mcusAcross
        mcusDown = whole.mcusDown
        blockCount = start
        coefficientCount = firstCoefficient
    }
}
