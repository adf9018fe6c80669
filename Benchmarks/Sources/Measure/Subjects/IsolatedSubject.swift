import ImageIsolation
import ImageFormats
import Raster
import Tessera

/// A file's bytes to a bitmap, decoded by a worker or, where the third argument is "here", in this process: a file, and the
/// side of a square that it has to fit within, 0 for its own size.
final class IsolatedSubject: Subject {
    private let bytes: [UInt8]
    private let bounds: PixelSize?
    private let registry: CodecRegistry
    private var bitmap: Bitmap?

    init(_ arguments: [String]) throws {
        bytes = try arguments.file(0)
        let side = try Int(arguments.number(1))
        bounds = side > 0 ? PixelSize(width: side, height: side) : nil
        registry = arguments.count > 2 && arguments[2] == "here" ? .builtIn : try IsolatedDecoding().registry
    }

    func prepare() {
        bitmap = nil
        PixelBufferPool.shared.removeAll()
    }

    func run() throws {
        let bounds = bounds
        let source = try ImageRowSource(Source(bytes), registry: registry) { header in
            bounds.map { DecodingPlan(targetSize: header.size.fitted(within: $0)) } ?? .full
        }
        guard let bounds else {
            bitmap = try source.makeBitmap()
            return
        }
        bitmap = try ResamplingRowSource(source, to: source.header.size.fitted(within: bounds)).makeBitmap()
    }

    func output() throws -> Output { try bitmap!.output() }
}
