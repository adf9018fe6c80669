/// The size of each component of a lossless frame, and how their samples are grouped into MCUs.
package struct JPEGLosslessLayout: Hashable, Sendable {
    /// A component's size.
    package struct Component: Hashable, Sendable {
        /// Its sampling factors: samples across and down in an MCU of all components.
        package let across: Int
        package let down: Int
        /// Samples across and down in the image (T.81, A.1.1).
        package let width: Int
        package let height: Int
    }

    /// The bits of a sample, 2 to 16.
    package let precision: Int
    /// The image's size in pixels.
    package let width: Int
    package let height: Int
    /// The components in the order of the frame header.
    package let components: [Component]
    /// The largest sampling factors, which are the pixels across and down in an MCU of all components.
    package let mcuWidth: Int
    package let mcuHeight: Int

    var mcusAcross: Int { (width - 1) / mcuWidth + 1 }
    var mcusDown: Int { (height - 1) / mcuHeight + 1 }

    /// The most memory that decoding takes, in bytes: differences, samples and pixels of a row, and each scan's data and
    /// tables.
    package var workingByteCount: Int {
        let samples = components.reduce(0) { $0 + 2 * (mcusAcross * $1.across * $1.down) + width }
        let perScan = 2 * JPEGFlatData.pieceByteCount + JPEGDifferenceTable.count * MemoryLayout<UInt32>.size
        return samples * MemoryLayout<UInt16>.size + components.count * perScan
    }

    /// - Parameters:
    ///   - height: The height in pixels, which a DNL marker may have given; at least 1.
    ///   - offset: The byte of the frame header, for errors.
    /// - Throws: `invalidFrame` unless the frame is lossless and coded with Huffman tables.
    package init(_ frame: JPEGFrame, height: Int, offset: Int = 0) throws(JPEGBitstreamError) {
        guard frame.process == .lossless, !frame.isArithmetic, !frame.isDifferential, height > 0 else {
            throw JPEGBitstreamError(
                .invalidFrame, "\(frame.marker) with a height of \(height) isn't a lossless frame", offset: offset)
        }
        guard 2...16 ~= frame.precision else {
            throw JPEGBitstreamError(
                .invalidFrame, "lossless samples have \(frame.precision) bits, which must be 2 to 16", offset: offset)
        }
        precision = Int(frame.precision)
        width = frame.width
        self.height = height
        // A single component is coded sample by sample, whatever its sampling (T.81, A.2.2).
        let isAlone = frame.components.count == 1
        let (mcuWidth, mcuHeight) = frame.components.reduce((1, 1)) { largest, component in
            (max(largest.0, Int(component.horizontalSampling)), max(largest.1, Int(component.verticalSampling)))
        }
        self.mcuWidth = isAlone ? 1 : mcuWidth
        self.mcuHeight = isAlone ? 1 : mcuHeight
        components = frame.components.map { component in
            let (across, down) = (Int(component.horizontalSampling), Int(component.verticalSampling))
            return isAlone
                ? Component(across: 1, down: 1, width: frame.width, height: height)
                : Component(
                    across: across, down: down, width: (frame.width * across - 1) / mcuWidth + 1,
                    height: (height * down - 1) / mcuHeight + 1)
        }
    }
}
