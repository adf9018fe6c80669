public import ImageFormats
public import Raster

/// An image of any size, delivered in tiles; decodes only the parts that are requested, where the file allows it.
///
/// Tiles, levels and regions are in upright coordinates. Pixels are in sRGB with 8 bits a channel. Decoded tiles aren't
/// cached here; a caller that draws the same tile repeatedly keeps it.
///
/// ```swift
/// let image = try await TiledImage(contentsOf: "survey.jpg")
/// let overview = try await image.overview(maximumSide: 1024)
/// let tile = try await image.tile(TileAddress(level: 0, column: 12, row: 7))
/// ```
public final class TiledImage: Sendable {
    /// The source of an image's tiles.
    public enum Access: String, Hashable, Sendable {
        /// The file is or contains a pyramid of tiles, which are read in place.
        case stored
        /// The entropy-coded data has an index: each tile's pixels are decoded, or its bits copied, independently.
        case indexed
        /// The image is decoded once, into a file of raw tiles.
        case decoded
    }

    /// The file's header.
    public let header: ImageHeader
    /// The orientation to apply to stored pixels: the file's, or the one in the options.
    public let orientation: Orientation
    /// The levels and tiles of the upright image.
    public let geometry: PyramidGeometry
    /// The source of the tiles.
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

    /// The width and height in upright pixels.
    public var size: PixelSize { geometry.size }
    /// The levels' sizes, the full one first.
    public var levels: [PixelSize] { geometry.levels }

    /// Returns a tile's pixels as stored, with the orientation to draw it in.
    /// - Throws: `invalidParameter` for an address outside the geometry, or the decoder's error.
    public func tile(_ address: TileAddress) async throws(ImageError) -> Image {
        try check(address)
        return try await source.window(geometry.rect(of: address), level: address.level)
    }

    /// Returns a tile's encoded file if no encoder is needed: a stored tile, or a lossless copy of the source's bits
    /// that decodes to the same pixels. Nil if the tile must be encoded.
    /// - Throws: `invalidParameter` for an address outside the geometry, or the error of reading.
    public func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile? {
        try check(address)
        return try await source.encodedTile(address)
    }

    /// Returns a part of the image at any size, upright: at the scale of a level from that level's pixels, else resampled
    /// from the smallest level that has at least twice as many in each direction, or of JPEG 2000, whose levels are filtered,
    /// as many.
    /// - Parameters:
    ///   - rect: The part, in pixels of the full image.
    ///   - size: The result's size in pixels; nil for the size of `rect`.
    /// - Throws: `invalidParameter` for a part that isn't entirely inside the image or an empty size, `limitExceeded`
    ///   for a result of more than 256 megapixels, or the decoder's error.
    public func region(_ rect: PixelRect, size target: PixelSize? = nil) async throws(ImageError) -> Bitmap {
        let target = target ?? rect.size
        try DecodingPlan(region: rect, targetSize: target).validate(for: size)
        guard target.pixelCount <= Self.maximumRegionPixelCount else {
            throw ImageError(
                .limitExceeded,
                "a region of \(target) has too many pixels; the limit is \(Self.maximumRegionPixelCount): ask for a smaller size"
            )
        }
        let level = level(for: rect.size, at: target)
        // At a level's own scale its pixels are returned as they are.
        let displacement = isScale(of: level, rect.size, target) ? (0, 0) : source.displacement(level: level)
        let (window, region) = Self.window(
            of: rect, in: geometry.levels[level], level: level, displacement: displacement)
        let image = try await source.window(window, level: level)
        return try image.bitmap().resampled(to: target, region: region, displacement: displacement)
    }

    /// Returns the whole image, upright, with no side longer than `maximumSide`.
    /// - Throws: As `region(_:size:)`.
    public func overview(maximumSide: Int) async throws(ImageError) -> Bitmap {
        try await region(
            PixelRect(size), size: size.fitted(within: PixelSize(width: maximumSide, height: maximumSide)))
    }

    /// The thumbnail embedded in the file, upright; nil if there is none.
    ///
    /// Available immediately, whatever the image's size. It may be older than the image, or show more of it.
    public var preview: Bitmap? {
        let asStored = DecodingOptions(appliesOrientation: false)
        return try? header.metadata.embeddedThumbnailBitmap(options: asStored, registry: codecs)?
            .oriented(by: orientation)
    }

    /// The progress of decoding, from the start for each listener: the header, previews, tiles that are ready, passes,
    /// and the end.
    ///
    /// The file's embedded thumbnail, if there is one, comes first as a `preview`. An indexed JPEG follows with its
    /// eighth, from which an overview is made immediately; listening starts the indexing. If all tiles are available
    /// from the start, the stream ends with `complete` at once.
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

    /// The error that left tiles missing; nil while they may still come.
    public var error: ImageError? { source.error }

    private static let maximumRegionPixelCount = 256 << 20

    private func check(_ address: TileAddress) throws(ImageError) {
        guard geometry.contains(address) else {
            throw ImageError(.invalidParameter, "there is no tile \(address) in an image of \(size)")
        }
    }

    /// The level in which a part of `rectSize` has exactly `target`'s pixels, else the smallest in which it has at least
    /// twice as many in each direction, as for decoders. In filtered levels and for a part of more than
    /// `largestWindowPixelCount` pixels, `target` itself is enough, the latter to bound memory.
    package func level(for rectSize: PixelSize, at target: PixelSize) -> Int {
        if let level = levels.indices.first(where: { isScale(of: $0, rectSize, target) }) { return level }
        let least = DecodingPlan(targetSize: target).leastSize(of: rectSize)
        var level = 0
        while level + 1 < levels.count {
            let isLarge = (rectSize.width >> level) * (rectSize.height >> level) > Self.largestWindowPixelCount
            let wanted = isLarge || source.hasFilteredLevels ? target : least
            guard rectSize.width >> (level + 1) >= wanted.width, rectSize.height >> (level + 1) >= wanted.height
            else { break }
            level += 1
        }
        return level
    }

    /// Whether a part of `rectSize` has exactly `target`'s pixels in `level`.
    private func isScale(of level: Int, _ rectSize: PixelSize, _ target: PixelSize) -> Bool {
        target.width << level == rectSize.width && target.height << level == rectSize.height
    }

    /// Whether `region(_:size:)` takes less time than the tiles that the region touches.
    package var prefersWindows: Bool { source.prefersWindows }

    /// The largest window in pixels, 128 MB, where a smaller level suffices.
    private static let largestWindowPixelCount = 32 << 20

    /// The whole pixels of a level that `rect` of the full image touches, also where they are displaced, and the position of
    /// `rect` within them without the displacement.
    package static func window(
        of rect: PixelRect, in size: PixelSize, level: Int, displacement: (x: Double, y: Double) = (0, 0)
    ) -> (PixelRect, PixelRegion) {
        func range(
            _ first: Int, _ count: Int, within length: Int, _ displacement: Double
        ) -> (Range<Int>, start: Double, length: Double) {
            let (start, end) = (Double(first) / Double(1 << level), Double(first + count) / Double(1 << level))
            let lower = max(0, Int((start + min(0, displacement)).rounded(.down)))
            let upper = min(length, Int((end + max(0, displacement)).rounded(.up)))
            let within = start - Double(lower)
            return (lower..<upper, within, min(end - start, Double(upper - lower) - within))
        }
        let (columns, x, width) = range(rect.x, rect.width, within: size.width, displacement.x)
        let (rows, y, height) = range(rect.y, rect.height, within: size.height, displacement.y)
        return (
            PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count),
            PixelRegion(x: x, y: y, width: width, height: height)
        )
    }
}
