#if TIFF
package import Raster

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

    /// A reader of the page of `file` that the options ask for.
    /// - Throws: `invalidParameter` for a pipe; otherwise as decoding a TIFF file.
    package init(_ file: FileByteSource, options: DecodingOptions = DecodingOptions()) throws(ImageError) {
        guard let bytes = TIFFBytes(file) else {
            throw ImageError(.invalidParameter, "windows can only be read of a file that has a length")
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

extension TIFFLevelReader {
    /// The rows of a picture that was started.
    private final class WholePictureRows: RowSource {
        let info: BitmapInfo
        private let picture: any WholePicture

        init(_ picture: any WholePicture, _ info: BitmapInfo) {
            self.picture = picture
            self.info = info
        }

        func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int { try picture.read(into: &rows) }
    }
}
#endif
