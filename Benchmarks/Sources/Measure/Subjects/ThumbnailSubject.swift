import ImageFormats
import Raster
import Tessera

/// A file's bytes to a new bitmap that fits within a square, decoded small.
final class ThumbnailSubject: Subject {
    private let bytes: [UInt8]
    private let bounds: PixelSize
    private var bitmap: Bitmap?

    init(_ arguments: [String]) throws {
        bytes = try arguments.file(0)
        let side = try Int(arguments.number(1))
        bounds = PixelSize(width: side, height: side)
    }

    func prepare() {
        bitmap = nil
        PixelBufferPool.shared.removeAll()
    }

    func run() throws {
        let bounds = bounds
        let source = try ImageRowSource(Source(bytes)) { header in
            DecodingPlan(targetSize: header.size.fitted(within: bounds))
        }
        bitmap = try ResamplingRowSource(source, to: source.header.size.fitted(within: bounds)).makeBitmap()
    }

    func output() throws -> Output { try bitmap!.output() }
}
