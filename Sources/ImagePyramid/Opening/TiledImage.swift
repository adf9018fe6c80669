public import ImageFormats
public import Raster

/// A picture of any size, by its tiles: none of it is decoded that isn't asked for, where the file allows that.
///
/// Tiles, levels and regions are those of the upright picture. Pixels are in sRGB with 8 bits a channel. What is decoded
/// isn't kept here; who draws the same tile again and again keeps it.
///
/// ```swift
/// let picture = try await TiledImage(contentsOf: "survey.jpg")
/// let overview = try await picture.overview(maximumSide: 1024)
/// let tile = try await picture.tile(TileAddress(level: 0, column: 12, row: 7))
/// ```
public final class TiledImage: Sendable {
    /// Where a picture's tiles come from.
    public enum Access: String, Hashable, Sendable {
        /// The file is a pyramid of tiles, or has one: they are read in place.
        case stored
        /// The file's entropy-coded data has an index: a tile's pixels are decoded, or its bits copied, by themselves.
        case indexed
        /// The picture is decoded once, into a file of raw tiles.
        case decoded
    }

    /// What the file says of the picture.
    public let header: ImageHeader
    /// How stored pixels have to be turned: as the header says, or as it was asked for.
    public let orientation: Orientation
    /// Levels and tiles of the upright picture.
    public let geometry: PyramidGeometry
    /// Where tiles come from.
    public let access: Access
    let source: any WindowSource
    private let codecs: CodecRegistry

    init(
        _ header: ImageHeader, orientation: Orientation, geometry: PyramidGeometry, access: Access,
        source: any WindowSource, codecs: CodecRegistry
    ) {
        self.header = header
        self.orientation = orientation
        self.geometry = geometry
        self.access = access
        self.source = source
        self.codecs = codecs
    }

    /// Width and height in upright pixels.
    public var size: PixelSize { geometry.size }
    /// The levels' sizes, the full one first.
    public var levels: [PixelSize] { geometry.levels }

    /// The pixels of a tile; `orientation` of the image says how they are to be turned when they are drawn, so that none has
    /// to be moved before.
    /// - Throws: `invalidParameter` when there is no such tile; what keeps it from being decoded.
    public func tile(_ address: TileAddress) async throws(ImageError) -> Image {
        try check(address)
        return try await source.window(geometry.rect(of: address), level: address.level)
    }

    /// A tile's file where that needn't be made: one that is stored, or a copy of the source's bits that decodes to the
    /// very same pixels. Nil where it takes an encoder.
    /// - Throws: `invalidParameter` when there is no such tile; what keeps it from being read.
    public func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile? {
        try check(address)
        return try await source.encodedTile(address)
    }

    /// A part of the picture at any size, upright: made of the smallest level with twice as many pixels each way.
    /// - Parameters:
    ///   - rect: In pixels of the full picture.
    ///   - size: In pixels of the result; nil for the part's own.
    /// - Throws: `invalidParameter` for a part that isn't wholly inside or a size without pixels, `limitExceeded` for more
    ///   than 256 megapixels, and what keeps it from being decoded.
    public func region(_ rect: PixelRect, size target: PixelSize? = nil) async throws(ImageError) -> Bitmap {
        let target = target ?? rect.size
        try DecodingPlan(region: rect, targetSize: target).validate(for: size)
        guard target.pixelCount <= Self.maximumRegionPixelCount else {
            throw ImageError(
                .limitExceeded, "a region of \(target) is more than \(Self.maximumRegionPixelCount) pixels")
        }
        let level = level(for: rect.size, at: target)
        let (window, region) = Self.window(of: rect, in: geometry.levels[level], level: level)
        let image = try await source.window(window, level: level)
        return try image.bitmap().resampled(to: target, region: region)
    }

    /// The whole picture, upright and no larger than `maximumSide` both ways.
    /// - Throws: As `region(_:size:)`.
    public func overview(maximumSide: Int) async throws(ImageError) -> Bitmap {
        try await region(
            PixelRect(size), size: size.fitted(within: PixelSize(width: maximumSide, height: maximumSide)))
    }

    /// The small picture that the file carries beside the large one, upright; nil where there is none.
    ///
    /// There at once, whatever the picture's size. It may be older than the picture, or show more of it.
    public var preview: Bitmap? {
        let asStored = DecodingOptions(appliesOrientation: false)
        return try? header.metadata.embeddedThumbnailBitmap(options: asStored, registry: codecs)?
            .oriented(by: orientation)
    }

    /// What becomes known while the picture is decoded, from its beginning for each who asks: the header, small pictures of
    /// the whole, tiles that are ready, passes, and the end.
    ///
    /// First comes the `preview` that the file carries, if it does. Of an indexed JPEG the eighth follows, by which an
    /// overview can be had at once; to listen begins to make it. Where all tiles are there from the start, that is said at
    /// once.
    public var events: AsyncStream<ArrivingImage.Event> {
        let (stream, continuation) = AsyncStream<ArrivingImage.Event>.makeStream()
        continuation.yield(.header(header))
        if let preview { continuation.yield(.preview(preview.size)) }
        let (source, header) = (source, header)
        let task = Task {
            for await event in source.events where event != .header(header) { continuation.yield(event) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Why tiles are missing that will never come; nil while they may.
    public var error: ImageError? { source.error }

    private static let maximumRegionPixelCount = 256 << 20

    private func check(_ address: TileAddress) throws(ImageError) {
        guard geometry.contains(address) else {
            throw ImageError(.invalidParameter, "there is no tile \(address) in a picture of \(size)")
        }
    }

    /// The smallest level in which a part of `rectSize` has at least twice the pixels of `target` each way, as decoders are
    /// asked for. Of a large part it may have as few as `target`, rather than more pixels than memory should hold.
    package func level(for rectSize: PixelSize, at target: PixelSize) -> Int {
        let least = DecodingPlan(targetSize: target).leastSize(of: rectSize)
        var level = 0
        while level + 1 < levels.count {
            let isLarge = (rectSize.width >> level) * (rectSize.height >> level) > Self.largestWindowPixelCount
            let wanted = isLarge ? target : least
            guard rectSize.width >> (level + 1) >= wanted.width, rectSize.height >> (level + 1) >= wanted.height
            else { break }
            level += 1
        }
        return level
    }

    /// Pixels of a level that a part is made of, at most, where a smaller level will do: 128 MB.
    private static let largestWindowPixelCount = 32 << 20

    /// The whole pixels of a level that `rect` of the full picture touches, and where within them it lies.
    package static func window(of rect: PixelRect, in size: PixelSize, level: Int) -> (PixelRect, PixelRegion) {
        func range(_ first: Int, _ count: Int, within length: Int) -> (Range<Int>, start: Double, length: Double) {
            let step = 1 << level
            let (lower, upper) = (first / step, min(length, (first + count + step - 1) / step))
            let start = Double(first) / Double(step) - Double(lower)
            return (lower..<upper, start, min(Double(count) / Double(step), Double(upper - lower) - start))
        }
        let (columns, x, width) = range(rect.x, rect.width, within: size.width)
        let (rows, y, height) = range(rect.y, rect.height, within: size.height)
        return (
            PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count),
            PixelRegion(x: x, y: y, width: width, height: height)
        )
    }
}
