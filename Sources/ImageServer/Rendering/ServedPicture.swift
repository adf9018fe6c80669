package import ImageFormats
internal import ImagePyramid
package import Raster
internal import Synchronization

/// An open image file with its header and, once they are requested, its tiles.
package final class ServedPicture: Sendable {
    /// Kept open for as long as this object exists.
    package let file: OpenedFile
    /// The codecs that decode the file.
    let codecs: CodecRegistry
    /// Describes a pyramid's full-resolution image if the file is one.
    package let header: ImageHeader
    /// The size in upright orientation.
    package let size: PixelSize
    /// Whether it is a vector drawing, rasterized at the requested size.
    package let isVector: Bool
    /// Whether it is an animation.
    package let isAnimated: Bool
    /// Whether it is a single-file pyramid, which can't deliver rows.
    private let isPyramid: Bool
    /// The number of frames, estimated if the header has none; 1 for a still image.
    let frameCount: Int
    /// The folder for the index of a JPEG in a bucket.
    private let indexFolder: String?
    private let tiles: Mutex<Task<Result<TiledImage, ImageError>, Never>?>
    private let maps = Mutex<Task<GainMapTiles?, Never>?>(nil)

    /// The most pixels of a gain map, which is held in memory. Files have a quarter of the image's, or fewer.
    private static let largestMap = 16 << 20

    /// Up to this many pixels, a JPEG is always decoded at the reduced size directly. For a larger one, indexing its
    /// tiles also yields an eighth-size image, which smaller results are made from, as its tiles are likely to be
    /// requested next.
    private static let largestDecodedAtOnce = 64 << 20

    /// A larger region of a level than `DecodedTiles` keeps is decoded row by row, in formats that decode rows quickly.
    private static let largestWindow = 4 << 20
    private static let rowFormats: Set<ImageFormat> = [.jpeg, .png, .webP, .gif, .bmp]

    /// The most pixels of a mask or overlay, which is held in memory as a whole.
    private static let largestLaidOver = 16 << 20

    /// Reads the header of the image in `file`, which may be a pyramid.
    /// - Throws: `unknownFormat`, and the errors of reading the header.
    package init(_ file: OpenedFile, _ codecs: CodecRegistry, indexFolder: String? = nil) async throws(ImageError) {
        self.file = file
        self.indexFolder = indexFolder
        self.codecs = codecs
        do throws(ImageError) {
            let header = try ImageSource.header(
                of: file.source, options: DecodingOptions(limits: .largePictures), registry: codecs)
            self.header = header
            size = header.size
            isPyramid = false
            tiles = Mutex(nil)
        } catch {
            guard error.code == .unknownFormat else { throw error }
            // Pyramids aren't an image format. A file that is neither fails with the image's error.
            let pyramid: TiledImage
            do throws(ImageError) {
                pyramid = try await TiledImage(file.source, options: TiledImage.Options(codecs: codecs))
            } catch let other {
                throw other.code == .unknownFormat ? error : other
            }
            header = pyramid.header
            size = pyramid.size
            isPyramid = true
            tiles = Mutex(Task { .success(pyramid) })
        }
        let frameCount = Self.frameCount(file, header, codecs)
        self.frameCount = frameCount
        isAnimated = header.sequence?.kind == .animation || frameCount > 1
        isVector = codecs.codec(for: header.format)?.capabilities.contains(.vector) ?? false
    }

    /// The image's tiles, opened on first use. Opening is retried after a failure that may pass, such as a full disk or
    /// too many open files.
    func tiled() async throws(ImageError) -> TiledImage {
        let task = tiles.withLock { tiles in
            if let tiles { return tiles }
            let (file, options) = (file, TiledImage.Options(index: indexFolder.map { .folder($0) }, codecs: codecs))
            let isHeavy = !isEntered(tiles) && decodingByteCount > Self.heavyByteCount
            let new = Task { () -> Result<TiledImage, ImageError> in
                guard !isHeavy else { return await Self.openedInTurn(file.source, options) }
                return await Result(of: { () throws(ImageError) in
                    try await file.reading { () async throws(ImageError) in
                        try await TiledImage(file.source, options: options)
                    }
                })
            }
            tiles = new
            return new
        }
        let result = await task.value
        let failure: ImageError?
        switch result {
        case .success(let tiled): failure = tiled.error
        case .failure(let error): failure = error
        }
        if let failure, [.inputOutput, .outOfMemory, .cancelled, .workerFailed].contains(failure.code) {
            tiles.withLock { tiles in
                if tiles == task { tiles = nil }
            }
        }
        return try result.get()
    }

    /// Images that take more memory than this while being decoded into tiles are decoded one at a time.
    private static let heavyByteCount = 64 << 20
    private static let heavyDecodings = RenderQueue(width: 1, depth: 64)

    /// Opens the tiles of an image that is decoded as a whole, once the previous one is completely decoded.
    private static func openedInTurn(
        _ source: Source, _ options: TiledImage.Options
    ) async -> Result<TiledImage, ImageError> {
        await withCheckedContinuation { continuation in
            Task {
                do throws(RequestFailure) {
                    try await heavyDecodings.perform { () throws(RequestFailure) in
                        do throws(ImageError) {
                            let tiled = try await TiledImage(source, options: options)
                            continuation.resume(returning: .success(tiled))
                            for await event in tiled.events {
                                switch event {
                                case .complete, .failed: return
                                default: continue
                                }
                            }
                        } catch {
                            continuation.resume(returning: .failure(error))
                        }
                    }
                } catch {
                    // The queue has refused it.
                    continuation.resume(returning: .failure(ImageError(.cancelled, error.message)))
                }
            }
        }
    }

    /// The most bytes on disk of its raw tiles; 0 if the file can be read by tile, or is a vector drawing.
    package var storeByteCount: Int {
        // Tiles of these are cut out of the file whichever codec decodes them.
        guard ![.jpeg2000, .jpeg2000Codestream].contains(header.format) else { return 0 }
        let codec = codecs.codec(for: header.format) as? any TileAddressable
        return codec?.tileAccess(for: header) != nil || isVector ? 0 : size.pixelCount * 16 / 3
    }

    /// A bitmap of a region at `target`.
    /// - Throws: The errors of `TiledImage.region`.
    func bitmap(
        _ region: PixelRect, size target: PixelSize, _ tiles: DecodedTiles
    ) async throws(ImageError) -> Bitmap {
        guard !deliversRows(region, at: target) else {
            return try await ImageExecutor.render { () throws(ImageError) in
                try self.rows(region, at: target).makeBitmap()
            }
        }
        let tiled = try await tiled()
        if let address = tiled.geometry.address(of: region, size: target) {
            let tile = try await tiled.tile(address)
            return try tile.bitmap()
        }
        return try await tiles.region(region, size: target, of: tiled, in: file)
    }

    /// The rows of a region, decoded no larger than `plan` requires. Pyramids don't support it.
    package func rows(_ plan: DecodingPlan) throws(ImageError) -> any RowSource {
        try ImageRowSource(
            file.source, plan: plan, options: DecodingOptions(limits: .largePictures), registry: codecs)
    }

    /// The image's gain map, decoded at the first call; nil if it has none that can be used.
    func gainMap() async -> GainMapTiles? {
        guard !isPyramid, !isVector, !isAnimated else { return nil }
        let task = maps.withLock { task in
            if let task { return task }
            let (file, header, codecs, size) = (file, header, codecs, size)
            let new = Task { () -> GainMapTiles? in
                try? await ImageExecutor.render { () throws(ImageError) in
                    let map = try ImageSource.gainMap(
                        in: file.source, header: header, options: DecodingOptions(limits: .largePictures),
                        registry: codecs)
                    guard let map, map.image.size.pixelCount <= Self.largestMap else { return nil }
                    return try GainMapTiles(map, of: size)
                }
            }
            task = new
            return new
        }
        return await task.value
    }

    /// The whole image, for use as a mask or overlay.
    /// - Throws: `limitExceeded` for more than 16,777,216 pixels.
    func image() async throws(ImageError) -> Image {
        guard size.pixelCount <= Self.largestLaidOver else {
            throw ImageError(.limitExceeded, "an image of \(size) is too large to be laid over another one")
        }
        return try await ImageExecutor.render { () throws(ImageError) in
            Image(try self.rows(.full).makeBitmap())
        }
    }

    /// The number of frames of an animation: counted for GIFs, whose header lacks it, and assumed to be 100 for other
    /// formats without it.
    private static func frameCount(
        _ file: OpenedFile, _ header: ImageHeader, _ codecs: CodecRegistry
    ) -> Int {
        if let sequence = header.sequence, sequence.kind == .animation { return sequence.count ?? 100 }
        guard header.format == .gif, header.sequence == nil,
            let bytes = try? file.source.bytes(limit: OpenedFile.largestRead),
            let source = try? AnimatedImageSource(bytes, registry: codecs)
        else { return 1 }
        return source.frames.count
    }

    /// Whether regions can be read without decoding the whole file: its tiles are open, or the format has tile access.
    var isEntered: Bool { tiles.withLock { isEntered($0) } }

    private func isEntered(_ tiles: Task<Result<TiledImage, ImageError>, Never>?) -> Bool {
        tiles != nil || storeByteCount == 0 && !isVector
    }

    /// Whether a region is decoded row by row from the file, and not assembled from tiles.
    func deliversRows(_ region: PixelRect, at target: PixelSize) -> Bool {
        guard !isVector else { return true }
        if !isPyramid, Self.rowFormats.contains(header.format),
            Self.decodedSize(region.size, at: target).pixelCount > Self.largestWindow
        {
            return true
        }
        return region == PixelRect(size) && target.pixelCount < size.pixelCount && isReducedAtOnce(to: target)
    }

    /// Whether the whole image at `target` is decoded directly and not made from its tiles. Independent of whether the
    /// tiles exist, so that an address always has the same result.
    func isReducedAtOnce(to target: PixelSize) -> Bool {
        guard !isPyramid else { return false }
        if [.jpeg2000, .jpeg2000Codestream].contains(header.format), size.pixelCount > Self.largestWindow {
            // A small result is made from the smallest level that has as many pixels; a large one row by row, to bound memory.
            return target.pixelCount > Self.largestWindow
        }
        guard header.format == .jpeg, size.pixelCount > Self.largestDecodedAtOnce else { return true }
        return size.width / 16 < target.width || size.height / 16 < target.height
    }

    /// The rows of a region at exactly `target`, decoded row by row.
    func rows(_ region: PixelRect, at target: PixelSize) throws(ImageError) -> any RowSource {
        let rows = try rows(DecodingPlan(region: region == PixelRect(size) ? nil : region, targetSize: target))
        return rows.info.size == target ? rows : try ResamplingRowSource(rows, to: target)
    }
}
