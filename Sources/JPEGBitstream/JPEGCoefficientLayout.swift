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

        /// Blocks across and down that hold samples of the image; a scan of this component alone has no others.
        package var blocksAcross: Int { (width + 7) / 8 }
        package var blocksDown: Int { (height + 7) / 8 }
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
    /// Blocks in a row of MCUs.
    package let blockCount: Int

    /// Bytes of a row of MCUs' coefficients.
    package var byteCount: Int { blockCount * (64 * MemoryLayout<Int16>.size + MemoryLayout<UInt64>.size) }

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
                    start: start, stride: columns * across))
            start += columns * across * down
        }
        self.components = components
        (width, height) = (frame.width, frame.height)
        (horizontalSampling, verticalSampling) = (horizontal, vertical)
        mcusAcross = columns
        mcusDown = (frame.height + 8 * vertical - 1) / (8 * vertical)
        blockCount = start
    }
}
