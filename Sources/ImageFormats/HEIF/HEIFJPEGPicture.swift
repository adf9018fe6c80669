#if HEIF
internal import Raster

/// A primary image that is coded as JPEG (ISO/IEC 23008-12, annex H), which libheif 1.15 can't decode.
final class HEIFJPEGPicture: WholePicture {
    let header: ImageHeader
    private let decoder: any IncrementalDecoder

    /// The picture of `item`, which is a JPEG.
    init(_ item: HEIFStoredItem, options: DecodingOptions) throws(ImageError) {
        // A JPEG may lack its tables, or all before its scan, which are a property then.
        let bytes = try (item.property("jpgC").map { Array(item.file[$0.contents]) } ?? []) + item.data()
        decoder = try JPEGCodec().makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options.single)
        try decoder.append(bytes.span.bytes)
        try decoder.finish()
        guard var header = decoder.header else {
            throw ImageError(.truncated, "the JPEG in the \(item.format) image ends before its header does")
        }
        header.format = item.format
        header.sequence = nil
        if let profile = item.profile { header.profile = profile }
        var metadata = item.metadata(options.limits)
        metadata.exif = metadata.exif ?? header.metadata.exif
        metadata.xmp = metadata.xmp ?? header.metadata.xmp
        header.metadata = metadata
        self.header = header
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        var info = try decoder.start(plan, delivery: .last)
        info.profile = header.profile
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let count = try decoder.nextRows(into: &rows) else {
            throw ImageError(.truncated, "the JPEG in the \(header.format) image ends too early")
        }
        return count
    }
}
#endif
