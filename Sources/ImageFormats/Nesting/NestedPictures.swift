internal import Raster

extension DecodingOptions {
    /// The same options for a file within a file, which has a single image.
    var single: DecodingOptions {
        var options = self
        options.imageIndex = nil
        return options
    }
}

extension IncrementalDecoder {
    /// Reads the next rows of a session that has all its bytes; returns their count, 0 after the last, nil if bytes are
    /// missing.
    func nextRows(into rows: inout MutablePixelRows) throws(ImageError) -> Int? {
        while true {
            switch try read(into: &rows) {
            case .rows(let count): return count
            case .end: return 0
            case .passComplete, .restart: continue
            case .needMoreData: return nil
            }
        }
    }
}

/// The rows of a `WholePicture` that was started.
final class WholePictureRows: RowSource {
    let info: BitmapInfo
    private let picture: any WholePicture

    init(_ picture: any WholePicture, _ info: BitmapInfo) {
        self.picture = picture
        self.info = info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int { try picture.read(into: &rows) }
}
