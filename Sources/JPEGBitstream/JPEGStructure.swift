/// What a walk through a JPEG's markers found: segments, the frame, the scans, and the end.
///
/// All offsets count from the JPEG's first byte. A ``JPEGMarkerWalker`` fills it as bytes arrive; ``init(of:recording:)`` walks
/// bytes at hand.
public struct JPEGStructure: Hashable, Sendable {
    /// The segments met whole, in order, SOI and EOI among them and restart markers not; at most the walker's limit.
    public internal(set) var segments: [JPEGSegment] = []
    /// The number of segments met, of which ``segments`` may hold only the first.
    public internal(set) var segmentCount = 0

    /// The frame header, once met.
    public internal(set) var frame: JPEGFrame?
    /// The height that a DNL marker said, if there was one.
    public internal(set) var numberOfLines: Int?

    /// The scans begun, in order, the last perhaps not complete; at most the walker's limit.
    public internal(set) var scans: [JPEGScan] = []
    /// The number of scans begun, of which ``scans`` may hold only the first.
    ///
    /// A decoder's work for a progressive file grows with this number and the number of pixels: limit the one by the other.
    public internal(set) var scanCount = 0
    /// The number of scans whose end was met.
    public internal(set) var completedScanCount = 0

    /// The restart interval in MCUs by the last DRI segment; 0 is none.
    public internal(set) var restartInterval = 0

    /// The byte after the EOI marker, once met: whatever follows, a gain map or a mask, begins there.
    public internal(set) var endOffset: Int?
    /// The bytes that belong to no segment and no scan, and that a decoder skips.
    public internal(set) var extraneousByteCount = 0
    /// Why the walk stopped before an EOI, if it did. What was found before stays.
    public internal(set) var failure: JPEGBitstreamError?

    package init() {}

    /// The structure of the JPEG that the bytes begin with, as far as it can be walked; ``failure`` says what stopped it.
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

    /// The picture's height: the frame's, or a DNL marker's where the frame leaves it open; nil until known.
    public var height: Int? {
        guard let frame else { return nil }
        return frame.height > 0 ? frame.height : numberOfLines
    }

    /// Whether the bytes ended before the EOI marker.
    public var isTruncated: Bool { failure?.code == .truncated }
}
