#if TIFF
package import Raster

/// The reduced images of a page: a half, a quarter, and so on.
///
/// They are the page's sub-directories, or the following directories marked as reduced; without either, directories in
/// tiles that follow a page in tiles. A thumbnail at another scale isn't included.
struct TIFFPyramid {
    /// A reduced image.
    struct Level {
        /// The offset of its directory.
        var offset: Int
        var size: PixelSize

        /// Returns the part of the level that corresponds to `region` of the page; nil if its edges fall within pixels.
        func window(for region: PixelRect?, of page: PixelSize) -> PixelRect? {
            guard let region else { return PixelRect(size) }
            // Products of sides within the limits don't overflow.
            func scaled(_ value: Int, _ numerator: Int, _ denominator: Int) -> Int? {
                value * numerator % denominator == 0 ? value * numerator / denominator : nil
            }
            guard let x = scaled(region.x, size.width, page.width), let y = scaled(region.y, size.height, page.height),
                let width = scaled(region.width, size.width, page.width),
                let height = scaled(region.height, size.height, page.height)
            else { return nil }
            return PixelRect(x: x, y: y, width: width, height: height)
        }
    }

    private(set) var levels: [Level] = []

    /// The most directories that are examined.
    private static let maximumLevelCount = 32

    /// Finds the reduced images of page `page`, whose size is `size`.
    init(_ structure: TIFFStructure, pages: [Int], page: Int, size: PixelSize) {
        guard let main = structure.directory(at: pages[page]) else { return }
        if let field = main[TIFFTag.subDirectories] {
            for index in 0..<min(field.count, Self.maximumLevelCount) {
                guard let offset = structure.integer(field, at: index), let directory = structure.directory(at: offset)
                else { continue }
                add(directory, at: offset, structure, of: size)
            }
        }
        for offset in pages.dropFirst(page + 1).prefix(Self.maximumLevelCount) {
            guard let directory = structure.directory(at: offset) else { return }
            let isTiled = main[TIFFTag.tileWidth] != nil && directory[TIFFTag.tileWidth] != nil
            guard Self.isReduced(directory, structure) || isTiled else { return }
            guard add(directory, at: offset, structure, of: size) else {
                // A thumbnail between them doesn't end the search.
                if Self.isReduced(directory, structure) { continue }
                return
            }
        }
    }

    static func isReduced(_ directory: TIFFDirectory, _ structure: TIFFStructure) -> Bool {
        if let type = directory[TIFFTag.newSubfileType].flatMap({ structure.integer($0) }) { return type & 1 == 1 }
        return directory[TIFFTag.subfileType].flatMap { structure.integer($0) } == 2
    }

    /// Adds a directory whose size is the page's size halved one or more times, rounded up or down.
    @discardableResult
    private mutating func add(
        _ directory: TIFFDirectory, at offset: Int, _ structure: TIFFStructure, of page: PixelSize
    ) -> Bool {
        guard let width = directory[TIFFTag.width].flatMap({ structure.integer($0) }),
            let height = directory[TIFFTag.height].flatMap({ structure.integer($0) }),
            width < page.width || height < page.height
        else { return false }
        for halvings in 1..<Self.maximumLevelCount {
            let step = 1 << halvings
            guard step <= 2 * max(page.width, page.height) else { return false }
            let (across, down) = (page.width / step, page.height / step)
            if (max(1, across)...(across + 1)).contains(width), (max(1, down)...(down + 1)).contains(height) {
                levels.append(Level(offset: offset, size: PixelSize(width: width, height: height)))
                return true
            }
        }
        return false
    }
}

/// Reads windows of a TIFF page and its reduced images in place: only the strips or tiles that a window touches. Not
/// thread-safe: one task at a time may use it.
package final class TIFFLevelReader {
    private let picture: TIFFPicture
    private let levels: [TIFFPyramid.Level]

    /// The header of the page.
    package var header: ImageHeader { picture.header }
    /// The stored sizes of the page and its reduced images, the largest first.
    package let sizes: [PixelSize]
    /// Whether the page is stored in tiles.
    package var isTiled: Bool { picture.isTiled }

    /// Opens the page of `source` that the options select.
    /// - Throws: `invalidParameter` if `source` isn't seekable; otherwise as decoding a TIFF file.
    package init(_ source: Source, options: DecodingOptions = DecodingOptions()) throws(ImageError) {
        guard let bytes = TIFFBytes(source) else {
            throw ImageError(.invalidParameter, "tiles need a seekable file; \(source.name) isn't one")
        }
        picture = try TIFFPicture(bytes, options: options)
        levels = picture.findLevels()
        sizes = levels.map(\.size)
    }

    /// Decodes a part of the level at `index` to sRGB, in stored orientation.
    /// - Throws: `invalidParameter` if the part isn't wholly inside, or the error of a strip or tile that can't be
    ///   decoded.
    package func window(_ rect: PixelRect, level index: Int) throws(ImageError) -> Bitmap {
        let info = try picture.start(levels[index], window: rect)
        return try SRGBRowSource(WholePictureRows(picture, info)).makeBitmap()
    }
}
#endif
