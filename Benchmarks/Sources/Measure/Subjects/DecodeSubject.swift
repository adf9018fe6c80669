import Raster
import Tessera

/// A file's bytes to a new bitmap, colours as stored.
final class DecodeSubject: Subject {
    private let bytes: [UInt8]
    private var bitmap: Bitmap?

    init(_ arguments: [String]) throws { bytes = try arguments.file(0) }

    func prepare() {
        bitmap = nil
        PixelBufferPool.shared.removeAll()
    }

    func run() throws {
        let decoded = try ImageSource.decode(bytes, options: DecodingOptions(color: .asStored))
        if let error = decoded.error { throw error }
        bitmap = decoded.bitmap
    }

    func output() throws -> Output { try bitmap!.output() }
}
