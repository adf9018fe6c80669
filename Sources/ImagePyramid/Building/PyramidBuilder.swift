internal import ImageFormats
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
/// try PyramidBuilder(geometry).build(source, into: sink)
/// ```
public struct PyramidBuilder: Sendable {
    /// How the upright picture is divided.
    public var geometry: PyramidGeometry
    /// How tiles are written.
    public var encoding: TileEncoding
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

    /// A builder of these tiles.
    public init(_ geometry: PyramidGeometry, encoding: TileEncoding = TileEncoding()) {
        self.geometry = geometry
        self.encoding = encoding
    }

    /// Builds all tiles of `source` that `sink` hasn't got, and finishes the sink.
    ///
    /// Blocks until all is done; in a task it ends early when that is cancelled. `progress` is called now and then, on the
    /// calling thread.
    /// - Throws: What decoding, encoding or the sink reports, `invalidParameter` for a picture of another size than the
    ///   geometry's, `limitExceeded` when its rows of tiles are larger than the limit, `cancelled`.
    public func build(
        _ source: PyramidSource, into sink: any TileSink, progress: ((PyramidProgress) -> Void)? = nil
    ) throws(ImageError) {
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
