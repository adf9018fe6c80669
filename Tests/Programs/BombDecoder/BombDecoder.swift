import Essentials
import ImageFormats
import ImageLoading
import ImagePyramid
import Raster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads a file that claims to be more than it is, and says what came of it: `BombDecoder WAY FILE` writes the error's
/// code or `read`, the bytes of memory that it took at the most beside what it had before, and the message.
///
/// A process of its own, because only of a whole process can be known what it took, and what it lost: `BombDecoder all
/// FILE` reads in every way, for who looks for leaks, and `BombDecoder leak FILE` has one, to be found.
@main
enum BombDecoder {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let way = ways[arguments[1]] else {
            return print("BombDecoder \(ways.keys.sorted().joined(separator: "|")) FILE")
        }
        let path = arguments[2]
        // What every picture takes, libraries that are loaded when they are needed among it, isn't the bomb's.
        _ = try? ImageSource.header(of: Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))
        let before = MemoryUse.current
        MemoryUse.forgetPeak()
        var (code, message) = ("read", "")
        do {
            try await way(path)
        } catch let error as ImageError {
            (code, message) = (error.code.description, error.message)
        } catch {
            (code, message) = ("another error", "\(error)")
        }
        print("\(code)\t\(max(0, MemoryUse.peak - before))\t\(message)")
    }

    private static let ways = readings.merging([
        "all": { path in
            for (_, way) in readings.sorted(by: { $0.key < $1.key }) { try? await way(path) }
        },
        // A picture that is no bomb, but large.
        "pipeline": { path in
            var request = ImageRequest(url: URL(filePath: path))
            request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: 1000)
            request.decoding.limits = .largePictures
            let pipeline = ImagePipeline {
                $0.imageCache = nil
                $0.dataFetching.maximumByteCount = nil
            }
            let size = try await pipeline.image(for: request).size
            guard max(size.width, size.height) == 1000 else { throw ImageError(.corrupt, "it is \(size)") }
        },
        "leak": { _ in
            // Nothing that a compiler may leave out.
            for _ in 0..<10 { _ = realpath("/", nil) }
        },
    ]) { $1 }

    private static let readings: [String: @Sendable (String) async throws -> Void] = [
        "whole": { path in
            let bytes = try Source(path: path).bytes()
            let picture = try ImageSource.decode(bytes)
            if let error = picture.error { throw error }
        },
        "pieces": { path in
            let source = ImageSource(deliversPreviews: true)
            let bytes = try Source(path: path).reader()
            while try bytes.nextBytes({ (piece) throws(ImageError) in
                for start in stride(from: 0, to: piece.byteCount, by: 1000) {
                    _ = try source.append(piece.extracting(start..<min(start + 1000, piece.byteCount)))
                }
            }) {}
            _ = try source.finish()
            if let error = source.error { throw error }
        },
        "thumbnail": { path in
            let plan = DecodingPlan(targetSize: PixelSize(width: 40, height: 40))
            _ = try ImageRowSource(Source(path: path), plan: plan).makeBitmap()
        },
        // Begun in each way, and left.
        "left": { path in
            let bytes = try Source(path: path).bytes()
            let half = Array(bytes.prefix(bytes.count / 2))
            let source = ImageSource(deliversPreviews: true)
            _ = try? source.append(half)
            _ = try? source.currentBitmap()
            let frames = AnimatedImageSource()
            _ = try? frames.append(half)
            _ = try? frames.frame(at: 0)
            let rows = try ImageRowSource(Source(path: path))
            var strip = try MutableBitmap(
                BitmapInfo(
                    size: PixelSize(width: rows.info.size.width, height: 1), format: rows.info.format,
                    alpha: rows.info.alpha))
            _ = try strip.withMutableRows(0..<1) { (row) throws(ImageError) in try rows.read(into: &row) }
        },
        "rows": { path in
            let source = try ImageRowSource(Source(path: path))
            var strip = try MutableBitmap(
                BitmapInfo(
                    size: PixelSize(width: source.info.size.width, height: 16), format: source.info.format,
                    alpha: source.info.alpha))
            while try strip.withMutableRows(0..<16, { (rows) throws(ImageError) in try source.read(into: &rows) }) > 0 {
            }
            try source.finish()
        },
        "frames": { path in
            let source = AnimatedImageSource()
            let bytes = try Source(path: path).reader()
            while try bytes.nextBytes({ (piece) throws(ImageError) in _ = try source.append(piece) }) {}
            _ = try source.finish()
            for index in 0..<min(3, source.frames.count) { _ = try source.frame(at: index) }
            if let error = source.error { throw error }
        },
        "metadata": { path in
            let metadata = try ImageSource.header(of: Source(path: path)).metadata
            _ = (metadata.dates, metadata.embeddedThumbnail)
            _ = try metadata.embeddedThumbnailBitmap()
        },
        "gain map": { path in
            let source = try Source(path: path)
            let header = try ImageSource.header(of: source)
            _ = try ImageSource.gainMap(in: source, header: header)?.image.bitmap()
        },
        "pyramid": { path in
            let pyramid = try StoredPyramids.open(path: path)
            _ = try pyramid.tile(at: TileAddress(level: pyramid.geometry.levels.count - 1, column: 0, row: 0))
        },
        "tiles": { path in
            let picture = try await TiledImage(contentsOf: path)
            _ = try await picture.overview(maximumSide: 200)
            _ = try await picture.encodedTile(TileAddress(level: 0, column: 0, row: 0))
        },
    ]
}
