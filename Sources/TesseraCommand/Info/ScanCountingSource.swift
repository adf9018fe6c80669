internal import JPEGBitstream
internal import Tessera

/// A file's bytes on their way to who looks for its header, and the scans of the JPEG that they may be.
final class ScanCountingSource: ByteSource {
    private let source: any ByteSource
    /// Only counts. At bytes that are no JPEG's it stops.
    private var walker = JPEGMarkerWalker(recording: 0)

    init(_ source: any ByteSource) { self.source = source }

    var byteCount: Int? { source.byteCount }

    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        try source.nextBytes { (bytes) throws(ImageError) in
            try? walker.append(bytes)
            try body(bytes)
        }
    }

    func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { try source.suffix(count) }

    /// Reads on to the JPEG's end, or to where it is damaged, and counts the scans up to there.
    func countScans() throws(ImageError) -> Int {
        var more = true
        while more, !walker.isAtEnd, walker.structure.failure == nil { more = try nextBytes { _ in } }
        return walker.structure.scanCount
    }
}
