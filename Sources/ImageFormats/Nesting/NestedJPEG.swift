internal import Raster

/// An image that is stored as a whole JPEG in a file of another format, which describes it in its own way.
final class NestedJPEG: WholePicture {
    let header: ImageHeader
    private let decoder: any IncrementalDecoder
    private let name: String

    /// The image in `bytes`.
    /// - Parameters:
    ///   - format: The format of the file around it.
    ///   - name: What the JPEG is, for errors.
    ///   - metadata: The file's metadata, which the JPEG's EXIF and XMP complete.
    ///   - profile: Returns the file's profile for the JPEG's colours, if it has one, which takes precedence.
    ///   - byteOffset: The place of the JPEG in the file, if it is known.
    /// - Throws: Errors of JPEG; `truncated` if the bytes end before the JPEG's header does.
    init(
        _ bytes: [UInt8], in format: ImageFormat, name: String, metadata: ImageMetadata,
        profile: (_ isGray: Bool) -> ColorProfile? = { _ in nil }, byteOffset: Int? = nil, options: DecodingOptions
    ) throws(ImageError) {
        decoder = try JPEGCodec().makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options.single)
        try decoder.append(bytes.span.bytes)
        try decoder.finish()
        guard var header = decoder.header else {
            throw ImageError(.truncated, "\(name) ends before its header does", byteOffset: byteOffset)
        }
        header.format = format
        header.sequence = nil
        if let profile = profile(header.colorModel == .gray) { header.profile = profile }
        var metadata = metadata
        metadata.exif = metadata.exif ?? header.metadata.exif
        metadata.xmp = metadata.xmp ?? header.metadata.xmp
        header.metadata = metadata
        self.header = header
        self.name = name
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        var info = try decoder.start(plan, delivery: .last)
        info.profile = header.profile
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let count = try decoder.nextRows(into: &rows) else {
            throw ImageError(.truncated, "\(name) ends too early")
        }
        return count
    }
}
