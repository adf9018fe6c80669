internal import ImageFormats
internal import Raster

/// A reader of a source that can be read more than once, whose bytes somebody else sees on their way to the decoder.
final class ObservedReader: ByteReader {
    private let reader: Source.Reader
    private var observe: ((RawSpan) -> Void)?

    init(_ source: Source) { reader = source.reader() }

    var byteCount: Int? { reader.byteCount }

    /// The bytes that were read so far, read again.
    func readBytes() throws(ImageError) -> [UInt8] { try reader.source.bytes(reader.position, at: 0) }

    /// Has `observe` see what is read from now on.
    func observe(_ observe: @escaping (RawSpan) -> Void) { self.observe = observe }

    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        try reader.nextBytes { [observe] (piece) throws(ImageError) in
            observe?(piece)
            try body(piece)
        }
    }

    func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { try reader.suffix(count) }
}
