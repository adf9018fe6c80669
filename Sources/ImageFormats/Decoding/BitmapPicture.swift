internal import Raster

/// A picture that its library decodes in one go: all pixels when the first row is asked for.
final class BitmapPicture: WholePicture {
    let header: ImageHeader
    private let info: BitmapInfo
    private let decode: () throws(ImageError) -> Bitmap
    private var rows: (any RowSource)?
    private var region: PixelRect?

    /// A picture of `info`'s kind in full, made by `decode`.
    init(_ header: ImageHeader, _ info: BitmapInfo, decode: @escaping () throws(ImageError) -> Bitmap) {
        self.header = header
        self.info = info
        self.decode = decode
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        region = plan.region
        var info = info
        info.size = plan.regionSize(of: info.size)
        return info
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> Int {
        if rows == nil {
            let bitmap = try decode()
            rows = try (region.map { (region) throws(ImageError) in try bitmap.cropped(to: region) } ?? bitmap)
                .makeRowSource()
        }
        return try rows!.read(into: &target)
    }
}
