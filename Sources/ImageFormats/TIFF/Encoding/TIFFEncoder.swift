#if TIFF
internal import Raster

/// A sink that writes a TIFF file of one picture from rows as they come.
final class TIFFEncoder: RowSink {
    private let page: TIFFPageWriter
    private let file: TIFFFileWriter

    init(_ page: TIFFPageWriter, _ file: TIFFFileWriter) {
        self.page = page
        self.file = file
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) { try page.write(rows) }

    func finish() throws(ImageError) {
        try page.finish()
        try file.finish()
    }
}
#endif
