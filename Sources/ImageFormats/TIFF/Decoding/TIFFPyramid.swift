#if TIFF
package import Raster

/// The reduced forms of a page: half as large, a quarter, and so on.
///
/// They are the page's sub-directories, or the directories that follow it and say that they are reduced; where neither
/// is said, directories of tiles that follow a page of tiles. A thumbnail of another scale is not one of them.
struct TIFFPyramid {
    /// One of them.
    struct Level {
        /// Where its directory is.
        var offset: Int
        var size: PixelSize

        /// The part of the level that `region` of the page is; nil when it doesn't end between the level's pixels.
        func window(for region: PixelRect?, of page: PixelSize) -> PixelRect? {
            guard let region else { return PixelRect(size) }
            // No product of sides within the limits overflows.
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

    /// More directories than this are not looked at.
    private static let maximumLevelCount = 32

    /// The reduced forms of page `page`, which is of `size`.
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
                // A thumbnail among them is no reason to stop.
                if Self.isReduced(directory, structure) { continue }
                return
            }
        }
    }

    static func isReduced(_ directory: TIFFDirectory, _ structure: TIFFStructure) -> Bool {
        if let type = directory[TIFFTag.newSubfileType].flatMap({ structure.integer($0) }) { return type & 1 == 1 }
        return directory[TIFFTag.subfileType].flatMap { structure.integer($0) } == 2
    }

    /// Adds a directory whose size is the page's halved some times, rounded up or down.
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

/// Reads windows of a TIFF file's page and of its reduced forms, in place: the strips or tiles that a window touches, and
/// nothing else. Used by one task at a time.
package final class TIFFLevelReader {
    private let picture: TIFFPicture
    private let levels: [TIFFPyramid.Level]

    /// What the file says of the page.
    package var header: ImageHeader { picture.header }
    /// The sizes of the page and of its reduced forms, as stored, the largest first.
    package let sizes: [PixelSize]
    /// Whether the page is stored in tiles.
    package var isTiled: Bool { picture.isTiled }

    /// A reader of the page of `source` that the options ask for.
    /// - Throws: `invalidParameter` for a pipe; otherwise as decoding a TIFF file.
    package init(_ source: Source, options: DecodingOptions = DecodingOptions()) throws(ImageError) {
        guard let bytes = TIFFBytes(source) else {
            throw ImageError(.invalidParameter, "tiles need a seekable file; \(source.name) isn't one")
        }
        picture = try TIFFPicture(bytes, options: options)
        levels = picture.findLevels()
        sizes = levels.map(\.size)
    }

    /// The pixels of a part of the level at `index`, in sRGB, not turned.
    /// - Throws: `invalidParameter` for a part that isn't wholly inside, and what keeps a strip or tile from being read.
    package func window(_ rect: PixelRect, level index: Int) throws(ImageError) -> Bitmap {
        let info = try picture.start(levels[index], window: rect)
        return try SRGBRowSource(WholePictureRows(picture, info)).makeBitmap()
    }
}
#endif
