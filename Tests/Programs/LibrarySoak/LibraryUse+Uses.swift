import ImageFormats
import ImageLoading
import ImagePyramid
import Tessera

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LibraryUse {
    /// Each thing that is done, by its name.
    static let uses: [(String, @Sendable (LibraryUse, Int) async throws -> Void)] = [
        ("load", { use, _ in _ = try await use.pipeline.image(for: use.request()) }),
        ("load and leave", { use, _ in try await use.loadAndLeave() }),
        ("load with previews", { use, _ in try await use.loadWithPreviews() }),
        ("prefetch", { use, _ in try await use.prefetch() }),
        ("forget", { use, _ in try await use.forget() }),
        ("decode", { use, _ in try await use.decode() }),
        ("decode and leave", { use, _ in try await use.decodeAndLeave() }),
        ("decode rows", { use, _ in try await use.decodeRows() }),
        ("decode what is cut short", { use, _ in try await use.decodeCutShort() }),
        ("decode isolated", { use, _ in try await use.decodeIsolated() }),
        ("animate", { use, _ in try await use.animate() }),
        ("apply effects", { use, _ in try await use.applyEffects() }),
        ("encode", { use, _ in try await use.encode() }),
        ("open tiles", { use, _ in try await use.openTiles() }),
        ("watch tiles arrive and leave", { use, _ in try await use.watchTilesAndLeave() }),
        ("build a pyramid", { use, number in try await use.buildPyramid(number) }),
        ("build and stop", { use, number in try await use.buildAndStop(number) }),
    ]

    private var path: String { paths.randomElement()! }

    private func bytes(_ path: String) throws -> [UInt8] {
        try Source(path: path).bytes()
    }

    /// What blocks runs where that may be.
    private func work<R: Sendable>(_ body: @Sendable () throws -> R) async throws -> R {
        try await ImageExecutor.shared.run { () throws(any Error) in try body() }
    }

    // MARK: Loading

    private func request() -> ImageRequest {
        var request = ImageRequest(url: urls.randomElement()!)
        // Of many sizes, so that caches get what they haven't got.
        let side = Double(Int.random(in: 20...300))
        switch Int.random(in: 0..<4) {
        case 0: request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: side)
        case 1: request.processors = [.resize(width: side), .roundedCorners(radius: 8)]
        case 2: request.processors = [.effects(.scaleToFill(width: side, height: side), .blur(radius: 3))]
        default: request.processors = [.circle()]
        }
        request.priority = [.low, .normal, .high].randomElement()!
        return request
    }

    private func loadAndLeave() async throws {
        let tasks = (0..<6).map { _ in pipeline.imageTask(with: request()) }
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<5000)))
        for task in tasks { task.cancel() }
        for task in tasks { _ = try? await task.response }
    }

    private func loadWithPreviews() async throws {
        let task = pipeline.imageTask(with: request())
        for await preview in task.previews { _ = try? preview.image.bitmap() }
        _ = try await task.response
    }

    private func prefetch() async throws {
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        prefetcher.startPrefetching(with: (0..<5).map { _ in request() })
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<20)))
        if Bool.random() { prefetcher.stopPrefetching() }
    }

    private func forget() async throws {
        switch Int.random(in: 0..<8) {
        case 0: await pipeline.cache.removeAll()
        case 1: cache.removeAll()
        case 2: cache.trim(toCost: 4 << 20)
        default: await pipeline.removeCachedResponses(for: request())
        }
    }

    // MARK: Decoding

    private func decode() async throws {
        try await work {
            let decoded = try ImageSource.decode(bytes(path))
            if let error = decoded.error { throw error }
        }
    }

    private func decodeAndLeave() async throws {
        try await work {
            let bytes = try bytes(path)
            let source = ImageSource()
            let end = Int.random(in: 0...bytes.count)
            for start in stride(from: 0, to: end, by: 5000) {
                _ = try source.append(Array(bytes[start..<min(end, start + 5000)]))
            }
            _ = try source.currentBitmap()
        }
    }

    private func decodeRows() async throws {
        try await work {
            let side = Int.random(in: 30...400)
            let source = try ImageRowSource(
                Source(path: path), plan: DecodingPlan(targetSize: PixelSize(width: side, height: side)))
            var strip = try MutableBitmap(
                BitmapInfo(
                    size: PixelSize(width: source.info.size.width, height: 16), format: source.info.format,
                    alpha: source.info.alpha))
            // Sometimes to the end.
            var rest = Bool.random() ? Int.max : 3
            while rest > 0,
                try strip.withMutableRows(0..<16, { (rows) throws(ImageError) in try source.read(into: &rows) }) > 0
            { rest -= 1 }
        }
    }

    /// What is damaged is an error or a part of a picture; it keeps nothing.
    private func decodeCutShort() async throws {
        try await work {
            var bytes = try bytes(path)
            bytes.removeLast(Int.random(in: 0..<bytes.count))
            if !bytes.isEmpty { bytes[Int.random(in: 0..<bytes.count)] ^= 0x55 }
            _ = try? ImageSource.decode(bytes)
            _ = try? AnimatedImageSource(bytes).frame(at: 1)
        }
    }

    private func decodeIsolated() async throws {
        guard let isolation else { return }
        try await work {
            let decoded = try ImageSource.decode(bytes(path), registry: isolation)
            if let error = decoded.error { throw error }
        }
    }

    private func animate() async throws {
        try await work {
            let path = animations.randomElement()!
            let animation = try ImageAnimation(Data(bytes(path)))
            let shrunk = animation.processed(by: .resize(width: 40))
            for index in animation.durations.indices.shuffled() {
                _ = try animation.frame(at: index)
                _ = try shrunk.frame(at: index)
            }
        }
    }

    // MARK: Effects and files

    private func applyEffects() async throws {
        try await work {
            let side = Double(Int.random(in: 50...400))
            let chain: EffectChain = [
                .scaleToFit(width: side, height: side), .rotate(degrees: Double(Int.random(in: 0..<360))),
                .cornerRadius(9), .shadow(color: RGBA8(0, 0, 0), x: 3, y: 3, blur: 6),
            ]
            _ = try ImageSource.image(bytes(path)).applying(chain).bitmap()
        }
    }

    private func encode() async throws {
        try await work {
            let bitmap = try ImageSource.image(bytes(path)).applying(.scaleToFit(width: 120, height: 120)).bitmap()
            let format = ImageFormat.all.filter { CodecRegistry.default.canEncode($0) }.randomElement()!
            _ = try ImageDestination(format: format).encode(bitmap)
            let output = ByteBuffer()
            try ImageDestination(format: [.gif, .png, .webP].randomElement()!).encode(count: 3, to: output) { _ in
                (bitmap, 0.1)
            }
        }
    }

    // MARK: Tiles

    private func openTiles() async throws {
        let picture = try await TiledImage(contentsOf: path)
        for _ in 0..<4 {
            let level = picture.geometry.levels.indices.randomElement()!
            let address = TileAddress(
                level: level, column: Int.random(in: 0..<picture.geometry.columnCount(level)),
                row: Int.random(in: 0..<picture.geometry.rowCount(level)))
            _ = try await picture.tile(address).bitmap()
            _ = try await picture.encodedTile(address)
        }
        _ = try await picture.overview(maximumSide: Int.random(in: 10...200))
    }

    private func watchTilesAndLeave() async throws {
        let arriving = ArrivingImage(try Source(path: path).chunks(ofAtMost: 3000))
        if Bool.random() { _ = try await arriving.store() }
        if Bool.random() { arriving.cancel() }
        let picture = try await TiledImage(contentsOf: path)
        var rest = Int.random(in: 0..<4)
        for await _ in picture.events where rest > 0 {
            rest -= 1
            if rest == 0 { break }
        }
    }

    private func sink(
        _ name: String, _ geometry: PyramidGeometry, _ encoding: TileEncoding
    ) throws -> (any TileSink, path: String) {
        let path = "\(scratch)/\(name)"
        switch Int.random(in: 0..<3) {
        case 0:
            return (
                try PackedPyramidWriter(
                    path: path + ".pyramid", geometry: geometry, encoding: encoding, overwrites: true),
                path + ".pyramid"
            )
        case 1:
            return (
                try ZipSink(
                    path: path + ".zip", layout: .iiif3, geometry: geometry, encoding: encoding, overwrites: true),
                path + ".zip"
            )
        default:
            return (
                try TreeSink(path: path, layout: .iiif3, geometry: geometry, encoding: encoding, overwrites: true), path
            )
        }
    }

    private func buildPyramid(_ number: Int) async throws {
        try await work {
            let source = try PyramidSource(path: path)
            let geometry = try PyramidGeometry(size: source.size, tileSize: [128, 256].randomElement()!)
            let encoding = TileEncoding(format: [.jpeg, .png, .webP].randomElement()!)
            let (sink, path) = try sink("pyramid-\(number)", geometry, encoding)
            try PyramidBuilder().build(source, into: sink)
            let pyramid = try StoredPyramids.open(path: path)
            for _ in 0..<5 {
                _ = try pyramid.tile(
                    at: TileAddress(level: geometry.levels.indices.randomElement()!, column: 0, row: 0))
            }
        }
    }

    private func buildAndStop(_ number: Int) async throws {
        let task = Task { try await buildPyramid(number) }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<30)))
        task.cancel()
        _ = try? await task.value
    }
}
