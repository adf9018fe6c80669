/// Walks a JPEG's markers as its bytes arrive, in pieces of any size.
///
/// Segments are skipped by their length, so that the markers of an embedded thumbnail are never mistaken for the image's; only
/// entropy-coded data is searched, for the marker that ends it. ``structure`` holds the result, which doesn't depend on how the
/// bytes were split. Only incomplete headers are buffered, and records are limited, so memory is bounded;
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
    /// The default limit of recorded segments, and of recorded scans.
    public static let defaultRecordLimit = 4096

    /// The structure so far.
    public internal(set) var structure = JPEGStructure()

    /// The number of bytes walked; bytes after the EOI marker or after an error don't count.
    public internal(set) var byteCount = 0

    let recordLimit: Int
    var state = State.start
    /// The offset of the current marker's `FF`.
    var markerOffset = 0
    /// The payload of the current segment, if the walker reads it.
    var payload: [UInt8] = []

    enum State: Equatable {
        /// Before either byte of SOI.
        case start
        case startCode
        /// Between segments, where an `FF` is expected.
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

    /// A walker that records at most the given number of segments and as many scans; it counts all of them.
    public init(recording limit: Int = defaultRecordLimit) {
        recordLimit = limit
    }

    /// Whether the EOI marker was found; bytes after it are ignored.
    public var isAtEnd: Bool { state == .ended }

    /// Walks the next bytes.
    ///
    /// Throws if the bytes aren't a valid JPEG, and then again at every call; ``structure`` keeps the results up to there.
    public mutating func append(_ bytes: RawSpan) throws(JPEGBitstreamError) {
        if let failure = structure.failure { throw failure }
        do throws(JPEGBitstreamError) {
            try walk(bytes)
        } catch {
            structure.failure = error
            throw error
        }
    }

    /// Marks the end of the bytes; throws ``JPEGBitstreamError/Code/truncated`` if there was no EOI marker.
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
