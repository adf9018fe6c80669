public import ImageFormats
public import Raster

/// Makes the tiles of all levels of a picture in one pass over its rows.
///
/// Rows are decoded on the calling thread; tiles are encoded on all processors, and by the calling thread when it is
/// ahead. Planes of a JPEG stay planes up to JPEG tiles; other pictures become RGB, or grey, in sRGB. A level's pixel is
/// the mean of four of the level before. Memory is bounded by a few rows of tiles.
///
/// ```swift
/// let source = try PyramidSource(path: "photo.jpg")
/// let geometry = try PyramidGeometry(size: source.size)
/// let sink = try TreeSink(path: "photo", layout: .deepZoom, geometry: geometry, encoding: TileEncoding())
/// try PyramidBuilder().build(source, into: sink)
/// ```
public struct PyramidBuilder: Sendable {
    /// Whether means are of light rather than of the stored values: brighter fine structures, and slower.
    public var averagesLight = false
    /// Whether the tiles of which any row was decoded are kept, and the sink is finished, when the input ends too early or
    /// is damaged. The error is thrown all the same.
    public var keepsPartial = false
    /// Whether the full size's tiles are copied bit by bit out of a JPEG where that can be done: tiles of whole MCUs without
    /// overlap, upright, in sRGB or with a profile of at most 4 KB, which each tile gets. They keep the source's quality.
    public var copiesFullSize = true
    /// Bytes that rows of tiles may take in memory, at most.
    public var byteLimit = 1 << 30
    /// The codecs by which tiles are encoded, but for JPEG, whose encoder is part of this.
    public var codecs = CodecRegistry.default

    /// A builder.
    public init() {}

    /// Builds all tiles of `source` that `sink` hasn't got, in its geometry and encoding, and finishes the sink.
    ///
    /// Blocks until all is done; in a task it ends early when that is cancelled. `progress` is called now and then, on the
    /// calling thread.
    /// - Throws: What decoding, encoding or the sink reports, `invalidParameter` for a picture of another size than the
    ///   sink's, `limitExceeded` when its rows of tiles are larger than the limit, `cancelled`.
    public func build(
        _ source: PyramidSource, into sink: any TileSink, progress: ((PyramidProgress) -> Void)? = nil
    ) throws(ImageError) {
        let (geometry, encoding) = (sink.geometry, sink.encoding)
        guard source.size == geometry.size else {
            throw ImageError(
                .invalidParameter, "a picture of \(source.size) doesn't fit a pyramid of \(geometry.size)")
        }
        guard Self.formats.contains(encoding.format) else {
            throw ImageError(.unsupported, "tiles can be JPEG, PNG, WebP or JPNG, not \(encoding.format)")
        }
        let rows = try source.open(for: encoding, averagesLight: averagesLight)
        try PyramidBuild(self, rows, orientation: source.orientation, sink: sink, progress: progress).run()
    }

    private static let formats: Set<ImageFormat> = [.jpeg, .png, .webP, .jpng]
}

/// How tiles are written.
public struct TileEncoding: Hashable, Sendable {
    /// JPEG, PNG, WebP or JPNG.
    public var format: ImageFormat
    /// 0 to 1, as in `EncodingOptions`; of no account for PNG.
    public var quality: Double
    /// What shows through where a picture with alpha becomes tiles without.
    public var background: RGBA8
    /// What tiles at the right and the bottom are filled up with to the full tile size, as Google's layout (background)
    /// and TIFF (edges) want them.
    public var padding: Padding

    /// What tiles at the right and the bottom are filled up with.
    public enum Padding: Hashable, Sendable {
        /// They stay as small as they are.
        case none
        /// The background's colour.
        case background
        /// The last column's and the last row's pixels, again and again.
        case edges
    }

    /// Tiles of `format`; JPEG at quality 0.75 on white unless said otherwise.
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

/// How far the building of a pyramid has come.
public struct PyramidProgress: Hashable, Sendable {
    /// Rows of the stored picture that were decoded.
    public var rowCount: Int
    /// How many rows there are.
    public var totalRowCount: Int
    /// Tiles that are in the sink, those of an interrupted run included.
    public var tileCount: Int
    /// How many tiles there will be.
    public var totalTileCount: Int
}

/// Where a pyramid's encoded tiles go: a packed file, a tree of files, an archive.
///
/// Tiles come in any order, from several threads at once, each once.
public protocol TileSink: AnyObject, Sendable {
    /// How the picture is divided.
    var geometry: PyramidGeometry { get }

    /// How the tiles are encoded. Whoever makes them goes by this, so that they are what the sink says of them.
    var encoding: TileEncoding { get }

    /// Whether the tile is there from an interrupted run, so that it needn't be made again.
    func contains(_ address: TileAddress) -> Bool

    /// Takes a tile's file, in `encoding` and the size that `geometry` gives it. `bytes` are lent for the call.
    /// - Throws: `inputOutput` when it can't be kept; the sink is of no more use then.
    func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError)

    /// Says that the last tile was written. Nothing looks finished before.
    func finish() throws(ImageError)
}

extension TileSink {
    /// False: nothing is there yet.
    public func contains(_ address: TileAddress) -> Bool { false }
}
