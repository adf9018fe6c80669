package import ImageFormats
internal import ImagePyramid
package import Raster
internal import Synchronization

/// A picture's file, open, and what was found out about it, so that its parts are made quickly.
package final class ServedPicture: Sendable {
    /// The file.
    package let file: OpenedFile
    /// What it is decoded by.
    let codecs: CodecRegistry
    /// What it says of its picture.
    package let header: ImageHeader
    /// Width and height, upright.
    package let size: PixelSize
    /// Whether it is drawn at whatever size it is asked for.
    package let isVector: Bool
    /// Whether it has frames that are shown one after the other.
    package let isAnimated: Bool
    /// Whether it is a pyramid, which has no rows.
    private let isPyramid: Bool
    /// How many frames it has, at least; 1 for a still.
    let frameCount: Int
    private let tiles: Mutex<Task<Result<TiledImage, ImageError>, Never>?>

    /// A JPEG of at most so many pixels is always decoded small at once. A larger one's index comes with an eighth, and its
    /// tiles will be wanted next: what that eighth has the pixels for is made of it.
    private static let largestDecodedAtOnce = 64 << 20

    /// A window of a level with more pixels than `DecodedTiles` keeps is decoded row by row, where the format is quick at that.
    private static let largestWindow = 4 << 20
    private static let rowFormats: Set<ImageFormat> = [.jpeg, .png, .webP, .gif, .bmp]

    /// Pixels of a picture in an effect, at most: all of them are in memory for that.
    private static let largestLaidOver = 16 << 20

    /// Reads the header of the picture in `file`.
    /// - Throws: `unknownFormat`, and what is wrong with the header.
    package init(_ file: OpenedFile, _ codecs: CodecRegistry) async throws(ImageError) {
        self.file = file
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
            // A pyramid is no format of pictures. What is none either is refused for what it is.
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

    /// Its tiles. They are opened when they are first asked for, and anew after a failure that may pass: a full disk, too
    /// many open files.
    func tiled() async throws(ImageError) -> TiledImage {
        let task = tiles.withLock { tiles in
            if let tiles { return tiles }
            let (file, options) = (file, TiledImage.Options(codecs: codecs))
            let isHeavy = !isEntered(tiles) && decodingByteCount > Self.heavyByteCount
            let new = Task { () -> Result<TiledImage, ImageError> in
                guard !isHeavy else { return await Self.openedInTurn(file.source, options) }
                return await Result(of: { () throws(ImageError) in try await TiledImage(file.source, options: options) }
                )
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

    /// Pictures that take more memory than this while they are decoded into tiles are so one after the other.
    private static let heavyByteCount = 64 << 20
    private static let heavyDecodings = RenderQueue(width: 1, depth: 64)

    /// The tiles of a picture that is decoded as a whole when it is its turn; the next one's begins when it is done.
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
                    // Refused before it was begun.
                    continuation.resume(returning: .failure(ImageError(.cancelled, error.message)))
                }
            }
        }
    }

    /// What it may take on the disk, beside its file: raw tiles of a picture that has to be decoded for them.
    package var storeByteCount: Int {
        let codec = codecs.codec(for: header.format) as? any TileAddressable
        return codec?.tileAccess(for: header) != nil || isVector ? 0 : size.pixelCount * 16 / 3
    }

    /// A part of it, at `size`.
    /// - Throws: As `TiledImage.region`.
    func bitmap(
        _ region: PixelRect, size target: PixelSize, _ tiles: DecodedTiles
    ) async throws(ImageError) -> Bitmap {
        guard !deliversRows(region, at: target) else {
            return try await ImageExecutor.rendering.run { () throws(ImageError) in
                try self.rows(region, at: target).makeBitmap()
            }
        }
        let tiled = try await tiled()
        if let address = tiled.geometry.address(of: region, size: target) {
            let tile = try await tiled.tile(address)
            return try tile.bitmap()
        }
        return try await tiles.region(region, size: target, of: tiled, version: file.version)
    }

    /// Rows of a part, decoded no larger than `plan` says; for pictures that needn't be entered here and there.
    package func rows(_ plan: DecodingPlan) throws(ImageError) -> any RowSource {
        try ImageRowSource(
            file.source, plan: plan, options: DecodingOptions(limits: .largePictures), registry: codecs)
    }

    /// The whole picture, for effects that lay it over another one.
    func image() async throws(ImageError) -> Image {
        guard size.pixelCount <= Self.largestLaidOver else {
            throw ImageError(.limitExceeded, "a picture of \(size) is too large to be laid over another one")
        }
        return try await ImageExecutor.rendering.run { () throws(ImageError) in Image(try self.rows(.full).makeBitmap())
        }
    }

    /// How many frames an animation has. The beginning of a GIF says nothing of that; of others that say nothing, a hundred.
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

    /// Whether its tiles are open, or its file is entered here and there without being decoded as a whole.
    var isEntered: Bool { tiles.withLock { isEntered($0) } }

    private func isEntered(_ tiles: Task<Result<TiledImage, ImageError>, Never>?) -> Bool {
        tiles != nil || storeByteCount == 0 && !isVector
    }

    /// Whether a part is decoded row by row from the file, and not put together of tiles.
    func deliversRows(_ region: PixelRect, at target: PixelSize) -> Bool {
        guard !isVector else { return true }
        if !isPyramid, Self.rowFormats.contains(header.format),
            Self.decodedSize(region.size, at: target).pixelCount > Self.largestWindow
        {
            return true
        }
        return region == PixelRect(size) && target.pixelCount < size.pixelCount && isReducedAtOnce(to: target)
    }

    /// Whether all of it at `target` is made in one go, from rows as they are decoded, and not of its tiles. It doesn't depend
    /// on whether those are there: one address has one result.
    func isReducedAtOnce(to target: PixelSize) -> Bool {
        guard !isPyramid else { return false }
        guard header.format == .jpeg, !header.isProgressive, size.pixelCount > Self.largestDecodedAtOnce else {
            return true
        }
        return size.width / 16 < target.width || size.height / 16 < target.height
    }

    /// The rows of a part at exactly `target`, where they are decoded row by row.
    func rows(_ region: PixelRect, at target: PixelSize) throws(ImageError) -> any RowSource {
        let rows = try rows(DecodingPlan(region: region == PixelRect(size) ? nil : region, targetSize: target))
        return rows.info.size == target ? rows : try ResamplingRowSource(rows, to: target)
    }
}
