public import ImageFormats
public import Raster

/// Makes the tiles of all levels of an image in one pass over its rows.
///
/// Rows are decoded on the calling thread. Tiles are encoded on all processors, and by the calling thread when it is
/// ahead. The planes of a JPEG stay planes up to JPEG tiles; other images are converted to RGB or grey in sRGB. A
/// level's pixel is the mean of four pixels of the previous level. Memory is bounded by a few rows of tiles.
///
/// ```swift
/// let source = try PyramidSource(path: "photo.jpg")
/// let geometry = try PyramidGeometry(size: source.size)
/// let sink = try TreeSink(path: "photo", layout: .deepZoom, geometry: geometry, encoding: TileEncoding())
/// try PyramidBuilder().build(source, into: sink)
/// ```
public struct PyramidBuilder: Sendable {
    /// Whether pixels are averaged in linear light rather than by stored values: fine structures become brighter.
    /// Slower.
    public var averagesLight = false
    /// Whether tiles with at least one decoded row are kept, and the sink is finished, if the input is truncated or
    /// damaged. The error is thrown in either case.
    public var keepsPartial = false
    /// Whether full-size tiles are copied bit by bit from a JPEG, without loss, where possible: tiles of whole MCUs
    /// without overlap, upright, in sRGB or with a profile of at most 4 KB, which is put into each tile.
    public var copiesFullSize = true
    /// Whether JPEG tiles carry their pieces of the image's gain map, if it has one and the sink takes such tiles. At full
    /// size pieces are copied bit by bit too, where possible. A map that can't be used is left out.
    public var keepsGainMap = true
    /// The most bytes that rows of tiles may occupy in memory.
    public var byteLimit = 1 << 30
    /// The codecs for encoding tiles, except JPEG, for which the builder has its own encoder.
    public var codecs = CodecRegistry.default

    /// Creates a builder with the default settings.
    public init() {}

    /// Builds all tiles of `source` that `sink` lacks, in its geometry and encoding, and finishes the sink.
    ///
    /// Blocks until the pyramid is complete, or the current task is cancelled. `progress` is called from time to time,
    /// on the calling thread.
    /// - Throws: Errors of decoding, encoding or the sink, `invalidParameter` if the image's size isn't the sink's,
    ///   `limitExceeded` if its rows of tiles exceed the limit, `cancelled`.
    public func build(
        _ source: PyramidSource, into sink: any TileSink, progress: ((PyramidProgress) -> Void)? = nil
    ) throws(ImageError) {
        let (geometry, encoding) = (sink.geometry, sink.encoding)
        guard source.size == geometry.size else {
            throw ImageError(
                .invalidParameter, "an image of \(source.size) doesn't fit a pyramid of \(geometry.size)")
        }
        guard Self.formats.contains(encoding.format) else {
            throw ImageError(.unsupported, "tiles can be JPEG, PNG, WebP or JPNG, not \(encoding.format)")
        }
        let rows = try source.open(for: encoding, averagesLight: averagesLight)
        var sink = sink
        if keepsGainMap, encoding.format == .jpeg, sink.takesGainMaps, let map = source.gainMap,
            let tiles = try? GainMapTiles(map, of: source.size)
        {
            sink = GainMapSink(sink, tiles)
        }
        try PyramidBuild(self, rows, orientation: source.orientation, sink: sink, progress: progress).run()
    }

    private static let formats: Set<ImageFormat> = [.jpeg, .png, .webP, .jpng]
}

/// The format and settings of tiles.
public struct TileEncoding: Hashable, Sendable {
    /// JPEG, PNG, WebP or JPNG.
    public var format: ImageFormat
    /// The quality, 0 to 1, as in `EncodingOptions`; not used for PNG.
    public var quality: Double
    /// The colour behind transparent pixels if tiles have no alpha.
    public var background: RGBA8
    /// The padding of tiles at the right and bottom edges to the full tile size, required by Google's layout
    /// (background) and TIFF (edges).
    public var padding: Padding

    /// The padding of tiles at the right and bottom edges.
    public enum Padding: Hashable, Sendable {
        /// None: tiles at the edges are smaller.
        case none
        /// The background's colour.
        case background
        /// The pixels of the last column and the last row, repeated.
        case edges
    }

    /// Creates an encoding, by default JPEG at quality 0.75 on white.
    public init(
        format: ImageFormat = .jpeg, quality: Double = 0.75,
        background: RGBA8 = RGBA8(255, 255, 255), padding: Padding = .none
    ) {
        self.format = format
        self.quality = quality
        self.background = background
        self.padding = padding
    }
}

/// The progress of building a pyramid.
public struct PyramidProgress: Hashable, Sendable {
    /// Rows of the stored image that have been decoded.
    public var rowCount: Int
    /// The number of rows in the image.
    public var totalRowCount: Int
    /// Tiles in the sink, including those of an interrupted run.
    public var tileCount: Int
    /// The number of tiles in the pyramid.
    public var totalTileCount: Int
}

/// The destination of a pyramid's encoded tiles: a packed file, a tree of files, or an archive.
///
/// Tiles come in any order, from several threads at once, each once.
public protocol TileSink: AnyObject, Sendable {
    /// The levels and tiles.
    var geometry: PyramidGeometry { get }

    /// The encoding of the tiles, which the builder follows.
    var encoding: TileEncoding { get }

    /// Whether tiles may be JPEGs with a gain map behind the image. True by default.
    var takesGainMaps: Bool { get }

    /// Returns whether the tile is left from an interrupted run and needn't be made again.
    func contains(_ address: TileAddress) -> Bool

    /// Takes a tile's encoded file, in `encoding` and with the size in `geometry`. `bytes` are valid only during the
    /// call.
    /// - Throws: `inputOutput` if it can't be written; the sink can't be used afterwards.
    func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError)

    /// Completes the pyramid after the last tile. It doesn't appear finished before.
    func finish() throws(ImageError)
}

extension TileSink {
    /// Returns true.
    public var takesGainMaps: Bool { true }

    /// Returns false.
    public func contains(_ address: TileAddress) -> Bool { false }
}
