/// A scan: its header, and where its entropy-coded data lies.
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
    /// The byte after the entropy-coded data, where the next marker that is no restart begins; nil until that was met.
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
    /// The number of restart markers met in the data so far.
    public internal(set) var restartCount = 0

    /// Whether the scan's end was met.
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
