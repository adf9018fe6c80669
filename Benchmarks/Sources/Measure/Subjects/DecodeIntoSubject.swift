import ImageFormats
import Tessera

/// A file's bytes into a bitmap that is there already, colours as stored.
final class DecodeIntoSubject: Subject {
    private let bytes: [UInt8]
    private var bitmap: MutableBitmap

    init(_ arguments: [String]) throws {
        bytes = try arguments.file(0)
        bitmap = try MutableBitmap(Self.source(of: bytes).info)
    }

    private static func source(of bytes: [UInt8]) throws -> ImageRowSource {
        try ImageRowSource(Source(bytes), options: DecodingOptions(color: .asStored))
    }

    func prepare() {}

    func run() throws {
        let source = try Self.source(of: bytes)
        let height = bitmap.info.size.height
        var filled = 0
        while filled < height {
            let count = try bitmap.withMutableRows(filled..<height) { (rows) throws(ImageError) in
                try source.read(into: &rows)
            }
            guard count > 0 else { throw MeasureError("the rows end after \(filled) of \(height)") }
            filled += count
        }
    }

    func output() throws -> Output { try bitmap.snapshot().output() }
}
