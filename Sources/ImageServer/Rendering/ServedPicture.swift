package import ImageFormats
internal import ImagePyramid
package import Raster
internal import Synchronization

/// A picture's file, open, and what was found out about it, so that its parts are made quickly.
package final class ServedPicture: Sendable {
    /// The file.
    package let file: OpenedFile
    /// What it says of its picture.
    package let header: ImageHeader
    /// Width and height, upright.
    package let size: PixelSize
    /// Whether it is drawn at whatever size it is asked for.
    package let isVector: Bool
    /// Whether it has frames that are shown one after the other.
    package let isAnimated: Bool
    private let tiles: Mutex<Task<Result<TiledImage, ImageError>, Never>?>

    /// A JPEG of at most so many pixels is decoded small at once; a larger one is indexed for that, as its tiles will be
    /// wanted next.
    private static let largestDecodedAtOnce = 16 << 20

    /// Pixels of a picture in an effect, at most: all of them are in memory for that.
    private static let largestLaidOver = 16 << 20

    /// Reads the header of the picture in `file`.
    /// - Throws: `unknownFormat`, and what is wrong with the header.
    package init(_ file: OpenedFile) async throws(ImageError) {
        self.file = file
        do throws(ImageError) {
            let header = try ImageSource.header(
                of: FileByteSource(path: file.path), options: DecodingOptions(limits: .largePictures))
            self.header = header
            size = header.size
            tiles = Mutex(nil)
        } catch {
            guard error.code == .unknownFormat else { throw error }
            // A pyramid is no format of pictures.
            let pyramid = try await TiledImage(contentsOf: file.path)
            header = pyramid.header
            size = pyramid.size
            tiles = Mutex(Task { .success(pyramid) })
        }
        isAnimated = header.sequence?.kind == .animation || Self.isAnimatedGIF(file, header)
        isVector = CodecRegistry.default.codec(for: header.format)?.capabilities.contains(.vector) ?? false
    }

    /// Its tiles. They are opened when they are first asked for, and anew after a failure that may pass: a full disk, too
    /// many open files.
    func tiled() async throws(ImageError) -> TiledImage {
        let task = tiles.withLock { tiles in
            if let tiles { return tiles }
            let file = file
            let new = Task { () -> Result<TiledImage, ImageError> in
                do throws(ImageError) {
                    return .success(try await TiledImage(contentsOf: file.path))
                } catch {
                    return .failure(error)
                }
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

    /// What it may take on the disk, beside its file: raw tiles of a picture that has to be decoded for them.
    package var storeByteCount: Int {
        let isEntered = header.format == .jpeg && !header.isProgressive || header.format == .tiff
        let isIsolated = CodecRegistry.default.capabilities(of: header.format).contains(.isolated)
        return isEntered && !isIsolated || isVector ? 0 : size.pixelCount * 16 / 3
    }

    /// A part of it, at `size`.
    /// - Throws: As `TiledImage.region`.
    func bitmap(
        _ region: PixelRect, size target: PixelSize, _ tiles: DecodedTiles
    ) async throws(ImageError) -> Bitmap {
        guard !isDecodedAtOnce(region, at: target) else {
            return try await ImageExecutor.shared.run { () throws(ImageError) in try self.decoded(region, at: target) }
        }
        let tiled = try await tiled()
        if let address = tiled.geometry.address(of: region, size: target) {
            let tile = try await tiled.tile(address)
            return try tile.bitmap().oriented(by: tile.orientation)
        }
        return try await tiles.region(region, size: target, of: tiled, version: file.version)
    }

    /// Rows of a part, decoded no larger than `plan` says; for pictures that needn't be entered here and there.
    package func rows(_ plan: DecodingPlan) throws(ImageError) -> any RowSource {
        try ImageRowSource(
            FileByteSource(path: file.path), plan: plan, options: DecodingOptions(limits: .largePictures))
    }

    /// The whole picture, for effects that lay it over another one.
    func image() async throws(ImageError) -> Image {
        guard size.pixelCount <= Self.largestLaidOver else {
            throw ImageError(.limitExceeded, "a picture of \(size) is too large to be laid over another one")
        }
        return try await ImageExecutor.shared.run { () throws(ImageError) in Image(try self.rows(.full).makeBitmap()) }
    }

    /// Whether a GIF has more than one frame, of which its beginning says nothing.
    private static func isAnimatedGIF(_ file: OpenedFile, _ header: ImageHeader) -> Bool {
        guard header.format == .gif, header.sequence == nil, let bytes = try? file.bytes(),
            let source = try? AnimatedImageSource(bytes)
        else { return false }
        return source.frames.count > 1
    }

    private func isDecodedAtOnce(_ region: PixelRect, at target: PixelSize) -> Bool {
        guard !isVector else { return true }
        guard region == PixelRect(size), target.pixelCount < size.pixelCount, tiles.withLock({ $0 == nil }) else {
            return false
        }
        return header.format != .jpeg || header.isProgressive || size.pixelCount <= Self.largestDecodedAtOnce
    }

    private func decoded(_ region: PixelRect, at target: PixelSize) throws(ImageError) -> Bitmap {
        let rows = try rows(DecodingPlan(region: region == PixelRect(size) ? nil : region, targetSize: target))
        guard rows.info.size != target else { return try rows.makeBitmap() }
        return try ResamplingRowSource(rows, to: target).makeBitmap()
    }
}
