/// A JPEG's structure: segments, the frame, the scans, and the end.
///
/// All offsets count from the JPEG's first byte. A ``JPEGMarkerWalker`` fills it as bytes arrive; ``init(of:recording:)`` parses
/// complete bytes.
public struct JPEGStructure: Hashable, Sendable {
    /// The complete segments, in order, including SOI and EOI but not restart markers; at most the walker's limit.
    public internal(set) var segments: [JPEGSegment] = []
    /// The number of segments, of which ``segments`` may hold only the first.
    public internal(set) var segmentCount = 0

    /// The frame header, once found.
    public internal(set) var frame: JPEGFrame?
    /// The height in a DNL marker, if there was one.
    public internal(set) var numberOfLines: Int?

    /// The scans begun, in order, the last one possibly incomplete; at most the walker's limit.
    public internal(set) var scans: [JPEGScan] = []
    /// The number of scans begun, of which ``scans`` may hold only the first.
    ///
    /// A decoder's work for a progressive file grows with this number times the number of pixels: limit it accordingly.
    public internal(set) var scanCount = 0
    /// The number of complete scans.
    public internal(set) var completedScanCount = 0

    /// The restart interval in MCUs by the last DRI segment; 0 is none.
    public internal(set) var restartInterval = 0

    /// The byte after the EOI marker, once found: trailing data, such as a gain map or a mask, begins there.
    public internal(set) var endOffset: Int?
    /// The number of bytes outside segments and scans, which decoders skip.
    public internal(set) var extraneousByteCount = 0
    /// Why parsing stopped before an EOI, if it did. The results up to there stay.
    public internal(set) var failure: JPEGBitstreamError?

    package init() {}

    /// The structure of the JPEG at the start of the bytes, as far as it can be parsed; ``failure`` has the error, if any.
    ///
    /// Takes time proportional to the bytes up to the EOI marker.
    public init(of data: RawSpan, recording limit: Int = JPEGMarkerWalker.defaultRecordLimit) {
        var walker = JPEGMarkerWalker(recording: limit)
        do {
            try walker.append(data)
            try walker.finish()
        } catch {
            // The error is kept in the structure.
        }
        self = walker.structure
    }

    /// The image's height: the frame's, or a DNL marker's if the frame leaves it open; nil until known.
    public var height: Int? {
        guard let frame else { return nil }
        return frame.height > 0 ? frame.height : numberOfLines
    }

    /// Whether the bytes ended before the EOI marker.
    public var isTruncated: Bool { failure?.code == .truncated }
}
