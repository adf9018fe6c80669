import Raster
import Tessera

/// A file that arrives in pieces of 16 KiB, to pixels at some eighths of its size: with the picture so far after each
/// pass, or without.
final class PreviewSubject: Subject {
    private let bytes: [UInt8]
    private let plan: DecodingPlan
    private let hasPreviews: Bool
    private var bitmap: Bitmap?
    private var previewCount = 0

    init(_ arguments: [String]) throws {
        bytes = try arguments.file(0)
        let size = try ImageSource.header(of: bytes).size
        let eighths = Int(try arguments.number(1))
        // A decoder that reduces delivers twice the target.
        let parts = eighths == 8 ? 8 : 16
        plan = DecodingPlan(
            targetSize: PixelSize(width: size.width * eighths / parts, height: size.height * eighths / parts))
        hasPreviews = arguments.last == "previews"
    }

    func prepare() {
        bitmap = nil
        PixelBufferPool.shared.removeAll()
    }

    func run() throws {
        let source = ImageSource(
            plan: plan, options: DecodingOptions(color: .asStored), deliversPreviews: hasPreviews)
        previewCount = 0
        for start in stride(from: 0, to: bytes.count, by: 1 << 14) {
            let events = try source.append(Array(bytes[start..<min(bytes.count, start + 1 << 14)]))
            for event in events {
                guard case .pass = event else { continue }
                bitmap = try source.currentBitmap()
                previewCount += 1
            }
        }
        try source.finish()
        bitmap = try source.currentBitmap()
        guard (previewCount > 0) == hasPreviews else { throw MeasureError("\(previewCount) previews") }
    }

    func output() throws -> Output { try bitmap!.output() }
}
