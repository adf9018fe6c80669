internal import ImageFormats
internal import Raster

/// A reader of a seekable source that also passes its bytes to an observer.
final class ObservedReader: ByteReader {
    private let reader: Source.Reader
    private var observe: ((RawSpan) -> Void)?

    init(_ source: Source) { reader = source.reader() }

    var byteCount: Int? { reader.byteCount }

    /// Reads again the bytes that have been read so far.
    func readBytes() throws(ImageError) -> [UInt8] { try reader.source.bytes(reader.position, at: 0) }

    /// Passes all bytes from now on to `observe`.
    func observe(_ observe: @escaping (RawSpan) -> Void) { self.observe = observe }

    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        try reader.nextBytes { [observe] (piece) throws(ImageError) in
            observe?(piece)
            try body(piece)
        }
    }

    func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { try reader.suffix(count) }
}
