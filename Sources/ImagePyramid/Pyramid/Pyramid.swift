public import Essentials
public import ImageFormats
internal import Raster

/// Divides images into pyramids of tiles, in one call.
///
/// ```swift
/// try await Pyramid.build("survey.jpg", to: "survey.dzi")
/// ```
///
/// `PyramidBuilder` does the same from rows and into custom sinks. `TiledImage` reads the result.
public enum Pyramid {
    /// Builds a pyramid of the image in the file at `input`.
    ///
    /// The image is decoded once, row by row where its format allows; tiles of all levels are encoded on all
    /// processors. The pyramid appears when it is complete; if the task is cancelled, nothing is left.
    /// - Parameters:
    ///   - output: The file, Deep Zoom's document, or the folder of a tree.
    ///   - layout: The layout; nil for the one of `output`'s extension (`.dzi`, `.szi`, `.pyramid`, `.tif`), or Deep
    ///     Zoom without an extension. `.zip` and `.szi` are archives of a tree's files.
    ///   - tileSize: Pixels on a tile's side.
    ///   - overlap: Pixels that a tile extends into each neighbour, for Deep Zoom and packed pyramids.
    ///   - format: The tiles' format: JPEG, PNG, WebP or JPNG; nil for JPEG, or for WebP or PNG if the image has
    ///     transparency.
    ///   - quality: The quality of lossy tiles, 0 to 1.
    ///   - overwriting: Whether an existing pyramid may be replaced. A folder with other contents never is.
    ///   - limits: Limits on the image's size and the memory used for it.
    ///   - progress: Called from time to time, on a thread of `ImageExecutor`.
    /// - Returns: The levels and tiles.
    /// - Throws: `invalidParameter` for an extension without a layout and for tiles that the layout doesn't support;
    ///   `inputOutput` for files that can't be read or written; errors of decoding and encoding; `cancelled`.
    @discardableResult
    public static func build(
        _ input: String, to output: String, as layout: PyramidLayout? = nil, tileSize: Int = 256, overlap: Int = 0,
        format: ImageFormat? = nil, quality: Double = 0.75, overwriting: Bool = true,
        limits: DecodingLimits = .largePictures, progress: (@Sendable (PyramidProgress) -> Void)? = nil
    ) async throws(ImageError) -> PyramidGeometry {
        let place = try PyramidPlace(output, as: layout)
        return try await ImageExecutor.shared.run { () throws(ImageError) in
            do throws(ImageError) {
                return try build(
                    Source(path: input), at: place, tileSize: tileSize, overlap: overlap, format: format,
                    quality: quality, overwriting: overwriting, limits: limits, progress: progress)
            } catch {
                // An error of writing already names the file.
                throw error.code == .inputOutput ? error : error.naming(input)
            }
        }
    }

    /// Builds a pyramid of the image in the file at `input`, with the files given by URLs.
    /// - Throws: `invalidParameter` for a URL that isn't a file URL, otherwise as with paths.
    @discardableResult
    public static func build(
        _ input: URL, to output: URL, as layout: PyramidLayout? = nil, tileSize: Int = 256, overlap: Int = 0,
        format: ImageFormat? = nil, quality: Double = 0.75, overwriting: Bool = true,
        limits: DecodingLimits = .largePictures, progress: (@Sendable (PyramidProgress) -> Void)? = nil
    ) async throws(ImageError) -> PyramidGeometry {
        try await build(
            input.filePath(remedy: "download it first"), to: output.filePath(remedy: "write to a file"), as: layout,
            tileSize: tileSize, overlap: overlap, format: format, quality: quality, overwriting: overwriting,
            limits: limits, progress: progress)
    }

    private static func build(
        _ input: Source, at place: PyramidPlace, tileSize: Int, overlap: Int, format: ImageFormat?, quality: Double,
        overwriting: Bool, limits: DecodingLimits, progress: ((PyramidProgress) -> Void)?
    ) throws(ImageError) -> PyramidGeometry {
        let source = try PyramidSource(input, options: DecodingOptions(limits: limits))
        let geometry = try PyramidGeometry(
            size: source.size, tileSize: tileSize, overlap: overlap, depth: place.layout.depth)
        let format = format ?? PyramidLayout.tileFormat(hasAlpha: source.header?.hasAlpha ?? false)
        let encoding = TileEncoding(format: format, quality: quality, padding: place.layout.padding)
        let sink = try place.sink(geometry, encoding, overwriting: overwriting)
        try PyramidBuilder().build(source, into: sink, progress: progress)
        return geometry
    }
}
