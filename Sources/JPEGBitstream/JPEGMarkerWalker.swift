/// Walks a JPEG's markers as its bytes arrive, in pieces of any size.
///
/// Segments are jumped over by their length, so that a thumbnail inside one is never taken for part of the picture; only
/// entropy-coded data is searched, for the marker that ends it. What was found stands in ``structure``, the same for the same bytes
/// however they were split. No byte is kept but those of a header not yet whole, and records are limited, so memory is bounded;
/// each piece takes time proportional to its bytes.
///
/// ```swift
/// var walker = JPEGMarkerWalker()
/// for chunk in download {
///     try walker.append(chunk.bytes)
///     if walker.structure.completedScanCount > shown { … }
/// }
/// try walker.finish()
/// ```
public struct JPEGMarkerWalker: Sendable {
    /// How many segments, and how many scans, are recorded unless told otherwise.
    public static let defaultRecordLimit = 4096

    /// What was found so far.
    public internal(set) var structure = JPEGStructure()

    /// The number of bytes walked; none after the EOI marker are, nor after an error.
    public internal(set) var byteCount = 0

    let recordLimit: Int
    var state = State.start
    /// The offset of the `FF` of the marker at hand.
    var markerOffset = 0
    /// The payload of the segment at hand, of a marker that the walker reads.
    var payload: [UInt8] = []

    enum State: Equatable {
        /// Before either byte of SOI.
        case start
        case startCode
        /// Between segments, where an `FF` should be.
        case marker
        /// After one or more `FF`.
        case code
        case length(JPEGMarker)
        case lengthLow(JPEGMarker, high: UInt8)
        /// In a segment; the payload ends before the given byte.
        case payload(JPEGMarker, start: Int, end: Int)
        /// In entropy-coded data.
        case entropy
        /// In entropy-coded data, after one or more `FF`.
        case entropyCode
        case ended
    }

    /// A walker at the first byte of a JPEG that records at most the given number of segments and as many scans; all are counted.
    public init(recording limit: Int = defaultRecordLimit) {
        recordLimit = limit
    }

    /// Whether the EOI marker was met; bytes appended after it are not looked at.
    public var isAtEnd: Bool { state == .ended }

    /// Walks the next bytes.
    ///
    /// Throws where the bytes can't be those of a JPEG, and then again at every call; ``structure`` keeps what was found before.
    public mutating func append(_ bytes: RawSpan) throws(JPEGBitstreamError) {
        if let failure = structure.failure { throw failure }
        do throws(JPEGBitstreamError) {
            try walk(bytes)
        } catch {
            structure.failure = error
            throw error
        }
    }

    /// Says that no byte will follow: throws ``JPEGBitstreamError/Code/truncated`` where the EOI marker wasn't met.
    public mutating func finish() throws(JPEGBitstreamError) {
        if let failure = structure.failure { throw failure }
        guard state != .ended else { return }
        let place =
            switch state {
            case .start, .startCode: "before its first marker"
            case .marker, .code: "between segments"
            case .length(let marker), .lengthLow(let marker, _), .payload(let marker, _, _): "within \(marker)"
            case .entropy, .entropyCode: "within scan \(structure.scanCount)"
            case .ended: "after its end"
            }
        let failure = JPEGBitstreamError(.truncated, "the JPEG ends \(place)", offset: byteCount)
        structure.failure = failure
        throw failure
    }

    private mutating func walk(_ bytes: RawSpan) throws(JPEGBitstreamError) {
        let base = byteCount
        var position = 0
        while position < bytes.byteCount, state != .ended {
            switch state {
            case .entropy:
                position = bytes.firstFF(from: position)
                if position < bytes.byteCount {
                    markerOffset = base + position
                    position += 1
                    state = .entropyCode
                }
            case .payload(let marker, let start, let end):
                let next = min(bytes.byteCount, end - base)
                if marker.hasReadPayload {
                    for index in position..<next { payload.append(bytes.byte(at: index)) }
                }
                position = next
                if base + position == end {
                    byteCount = end
                    try finishSegment(marker, payload: start..<end)
                }
            default:
                let byte = bytes.byte(at: position)
                position += 1
                byteCount = base + position
                try step(byte)
            }
        }
        byteCount = base + position
    }
}
