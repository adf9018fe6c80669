import Foundation
import ImageLoading
import Synchronization
import Raster
import Tessera

/// The pictures of a folder to bitmaps that fit within a square, by a pipeline without caches, all asked for at once:
/// a folder, the square's side, and perhaps a folder that each thumbnail is written to as a JPEG.
///
/// Its output is every 25th thumbnail, in the order of the files' names, one below the other.
final class ThumbnailsSubject: Subject {
    private let requests: [ImageRequest]
    private let names: [String]
    private let destination: String?
    private let pipeline = ImagePipeline { $0.imageCache = nil }
    private var bitmaps: [Bitmap] = []

    init(_ arguments: [String]) throws {
        let side = try arguments.number(1)
        let folder = URL(filePath: arguments[0])
        names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        requests = names.map { name in
            var request = ImageRequest(url: folder.appending(path: name))
            request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: side)
            return request
        }
        destination = arguments.count > 2 ? arguments[2] : nil
    }

    func prepare() {
        bitmaps = []
        PixelBufferPool.shared.removeAll()
    }

    func run() throws {
        let (requests, names, destination, pipeline) = (requests, names, destination, pipeline)
        bitmaps = try waiting {
            try await withThrowingTaskGroup(of: (Int, Bitmap).self) { group in
                for (index, request) in requests.enumerated() {
                    group.addTask {
                        let bitmap = try await pipeline.image(for: request).bitmap()
                        if let destination {
                            try await Self.write(bitmap, to: "\(destination)/\(names[index])")
                        }
                        return (index, bitmap)
                    }
                }
                var bitmaps = [Bitmap?](repeating: nil, count: requests.count)
                for try await (index, bitmap) in group { bitmaps[index] = bitmap }
                return bitmaps.map { $0! }
            }
        }
    }

    /// Writes a JPEG at the quality that vipsthumbnail and Pillow have by default.
    private static func write(_ bitmap: Bitmap, to path: String) async throws {
        try await withTaskExecutorPreference(ImageExecutor.shared) {
            let options = EncodingOptions(quality: 0.75)
            try Data(ImageDestination(format: .jpeg, options: options).encode(bitmap)).write(to: URL(filePath: path))
        }
    }

    func output() throws -> Output {
        let shown = stride(from: 0, to: bitmaps.count, by: 25).map { bitmaps[$0] }
        guard let first = shown.first, shown.allSatisfy({ $0.size == first.size }) else {
            throw MeasureError("the thumbnails are of several sizes")
        }
        var bytes: [UInt8] = []
        for bitmap in shown {
            guard case .pixels(let pixels, _, _) = try bitmap.output() else { continue }
            bytes += pixels
        }
        return .pixels(bytes, width: first.width, height: first.height * shown.count)
    }
}
