internal import Raster

/// Collects the rows of an icon's only picture.
final class ICORowSink: RowSink {
    private let picture: BitmapSink
    private let encoder: ICOEncoder

    init(_ info: BitmapInfo, encoder: ICOEncoder) throws(ImageError) {
        picture = try BitmapSink(info)
        self.encoder = encoder
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) { try picture.write(rows) }

    func finish() throws(ImageError) {
        try picture.finish()
        try encoder.write(picture.result!, duration: 0)
        try encoder.finish()
    }
}
