/// A frame header: the coding process, the size in samples and the components.
public struct JPEGFrame: Hashable, Sendable {
    /// A component of a frame, such as luma.
    public struct Component: Hashable, Sendable {
        /// The number by which scans name the component.
        public let identifier: UInt8
        /// The horizontal sampling factor, 1 to 4, relative to the other components'.
        public let horizontalSampling: UInt8
        /// The vertical sampling factor, 1 to 4, relative to the other components'.
        public let verticalSampling: UInt8
        /// The selector of the quantisation table, as stored.
        public let quantizationTable: UInt8
    }

    /// How the samples are coded.
    public enum Process: String, Sendable {
        /// Sequential DCT, 8 bits, SOF0.
        case baseline
        /// Sequential DCT with more tables or 12 bits.
        case extended
        /// Progressive DCT: several scans, each refining the picture.
        case progressive
        /// Lossless prediction, without a DCT.
        case lossless
    }

    /// The start-of-frame marker.
    public let marker: JPEGMarker
    /// The bits of a sample, as stored.
    public let precision: UInt8
    /// The width in samples, at least 1.
    public let width: Int
    /// The height in samples; 0 where the file leaves it to a DNL marker, see ``JPEGStructure/height``.
    public let height: Int
    /// The components in the order of the header, 1 to 255.
    public let components: [Component]

    /// How the samples are coded, by the marker.
    public var process: Process {
        switch marker.rawValue & 3 {
        case 0: .baseline
        case 1: .extended
        case 2: .progressive
        default: .lossless
        }
    }

    /// Whether samples are differences from an earlier frame's (hierarchical coding, SOF5 to SOF7 and SOF13 to SOF15).
    public var isDifferential: Bool { marker.rawValue & 4 != 0 }

    /// Whether entropy coding is arithmetic (SOF9 and above), not Huffman.
    public var isArithmetic: Bool { marker.rawValue & 8 != 0 }
}

extension JPEGFrame {
    /// The frame of a start-of-frame segment's whole payload.
    init(marker: JPEGMarker, payload: [UInt8], offset: Int) throws(JPEGBitstreamError) {
        guard payload.count >= 6, payload.count == 6 + 3 * Int(payload[5]) else {
            throw JPEGBitstreamError(
                .invalidSegmentLength, "the frame header's length does not fit its number of components", offset: offset
            )
        }
        self.marker = marker
        precision = payload[0]
        height = Int(payload[1]) << 8 | Int(payload[2])
        width = Int(payload[3]) << 8 | Int(payload[4])
        guard width > 0, payload[5] > 0 else {
            throw JPEGBitstreamError(
                .invalidFrame, "the frame header gives no columns or no components", offset: offset)
        }
        var components: [Component] = []
        for start in stride(from: 6, to: payload.count, by: 3) {
            let component = Component(
                identifier: payload[start], horizontalSampling: payload[start + 1] >> 4,
                verticalSampling: payload[start + 1] & 15, quantizationTable: payload[start + 2])
            guard 1...4 ~= component.horizontalSampling, 1...4 ~= component.verticalSampling else {
                throw JPEGBitstreamError(
                    .invalidFrame,
                    """
                    component \(component.identifier) has the sampling factors \
                    \(component.horizontalSampling)×\(component.verticalSampling), which must be 1 to 4
                    """, offset: offset)
            }
            components.append(component)
        }
        self.components = components
    }
}

/// A scan: its header, and the range of its entropy-coded data.
public struct JPEGScan: Hashable, Sendable {
    /// A component of a scan with its entropy coding tables.
    public struct Component: Hashable, Sendable {
        /// The frame component's ``JPEGFrame/Component/identifier``.
        public let identifier: UInt8
        /// The selector of the DC table, as stored.
        public let dcTable: UInt8
        /// The selector of the AC table, as stored.
        public let acTable: UInt8
    }

    /// The byte at which the scan begins: the `FF` of its SOS marker.
    public let offset: Int
    /// The first byte of entropy-coded data.
    public let dataOffset: Int
    /// The byte after the entropy-coded data, where the next marker other than a restart begins; nil until it is found.
    public internal(set) var endOffset: Int?
    /// The components, 1 to 4.
    public let components: [Component]
    /// The first coefficient in zigzag order, as stored; a lossless scan's predictor.
    public let spectralStart: UInt8
    /// The last coefficient in zigzag order, as stored: it may be less than the first in a damaged file.
    public let spectralEnd: UInt8
    /// The bit position of the previous scan of these coefficients, 0 for the first.
    public let approximationHigh: UInt8
    /// The bit position of this scan; a lossless scan's point transform.
    public let approximationLow: UInt8
    /// The restart interval in force, in MCUs; 0 is none.
    public let restartInterval: Int
    /// The number of restart markers in the data so far.
    public internal(set) var restartCount = 0

    /// Whether the scan's end was found.
    public var isComplete: Bool { endOffset != nil }
}

extension JPEGScan {
    /// The scan of a start-of-scan segment's whole payload.
    init(payload: [UInt8], offset: Int, dataOffset: Int, restartInterval: Int) throws(JPEGBitstreamError) {
        guard let count = payload.first, payload.count == 4 + 2 * Int(count) else {
            throw JPEGBitstreamError(
                .invalidSegmentLength, "the scan header's length does not fit its number of components", offset: offset)
        }
        guard 1...4 ~= count else {
            throw JPEGBitstreamError(
                .invalidScan, "the scan header names \(count) components, which must be 1 to 4", offset: offset)
        }
        self.offset = offset
        self.dataOffset = dataOffset
        self.restartInterval = restartInterval
        components = stride(from: 1, to: payload.count - 3, by: 2).map { start in
            Component(identifier: payload[start], dcTable: payload[start + 1] >> 4, acTable: payload[start + 1] & 15)
        }
        spectralStart = payload[payload.count - 3]
        spectralEnd = payload[payload.count - 2]
        approximationHigh = payload[payload.count - 1] >> 4
        approximationLow = payload[payload.count - 1] & 15
    }
}
