public import Raster

/// Writes pictures in one format: takes any pixels, converts them to what the format can hold, and encodes.
///
/// Depth, premultiplied alpha and grey are converted where the format asks for it. Where it has no alpha, the picture
/// is drawn on the options' background. A colour profile travels along where the format can carry it; where it can't,
/// the pixels are converted to sRGB, so that colours never change their look.
///
/// ```swift
/// let file = try AtomicFile(path: "photo.png")
/// try ImageDestination(format: .png).encode(bitmap, to: file)
/// try file.commit()
/// ```
public struct ImageDestination: Sendable {
    /// What is written.
    public let format: ImageFormat
    /// How it is written.
    public let options: EncodingOptions
    let codec: any ImageCodec

    /// A destination for `format`.
    /// - Throws: `unsupported` when `registry` has no codec that writes it, `invalidParameter` for options that make no
    ///   sense.
    public init(
        format: ImageFormat, options: EncodingOptions = EncodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        guard let codec = registry.codec(for: format), codec.canEncode else {
            throw ImageError(.unsupported, "\(format) can't be written by this program")
        }
        try options.validate()
        self.format = format
        self.options = options
        self.codec = codec
    }

    /// The file for `bitmap`, in memory.
    /// - Throws: What the codec reports, and `outOfMemory`.
    public func encode(_ bitmap: Bitmap) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try encode(bitmap, to: buffer)
        return buffer.bytes
    }

    /// Writes the file for `bitmap` to `output`.
    ///
    /// The codec sees all pixels before it writes: a PNG of few colours gets a palette.
    /// - Throws: What the codec or `output` reports, `limitExceeded` for a file that can't be made as short as the options
    ///   ask for, and `outOfMemory`.
    public func encode(_ bitmap: Bitmap, to output: any ByteSink) throws(ImageError) {
        var bitmap = try bitmap.resampled(to: encodedSize(of: bitmap.size))
        var options = options
        if let size = options.embeddedThumbnailSize { options.metadata.addThumbnail(of: bitmap, pixelSize: size) }
        if let rows = try encodable(bitmap.makeRowSource()) { bitmap = try rows.makeBitmap() }
        guard let maximum = options.maximumByteCount else {
            return try codec.encode(bitmap, options: options, output: output)
        }
        try output.write(encode(bitmap, within: maximum, options: options))
    }

    /// Writes the file for the picture whose rows `source` delivers to `output`, while they come.
    ///
    /// Memory is bounded by rows wherever the format allows; a maximum byte count or an embedded thumbnail takes the whole
    /// picture first.
    /// - Throws: What `source`, the codec or `output` reports. What `output` got until then is no picture.
    public func encode(_ source: any RowSource, to output: any ByteSink) throws(ImageError) {
        var source = source
        let size = encodedSize(of: source.info.size)
        if size != source.info.size { source = try ResamplingRowSource(source, to: size) }
        if options.maximumByteCount != nil || options.embeddedThumbnailSize != nil {
            return try encode(source.makeBitmap(), to: output)
        }
        let rows = try encodable(source) ?? source
        try rows.copyRows(to: codec.makeEncoder(rows.info, options: options, output: output))
    }

    /// The size that a picture of `size` is written at: smaller where the options set a maximum.
    func encodedSize(of size: PixelSize) -> PixelSize {
        guard let maximum = options.maximumPixelSize else { return size }
        return size.fitted(within: PixelSize(width: maximum, height: maximum))
    }

    /// The rows as the codec wants them; nil when they are so already.
    func encodable(_ source: any RowSource) throws(ImageError) -> (any RowSource)? {
        var rows = source
        var wanted = codec.encodableInfo(for: rows.info, options: options)
        if rows.info.profile != .sRGB, wanted.profile != rows.info.profile || !keepsProfile(rows.info, wanted) {
            rows = try inSRGB(rows)
            wanted = codec.encodableInfo(for: rows.info, options: options)
        }
        guard wanted.size == rows.info.size, wanted.profile == rows.info.profile else {
            throw ImageError(.unsupported, "\(format) takes neither the picture's colours nor sRGB")
        }
        if wanted != rows.info {
            rows = try rows.converted(to: wanted.format, alpha: wanted.alpha, background: options.background)
        }
        return rows === source ? nil : rows
    }

    /// The same rows in sRGB.
    func inSRGB(_ rows: any RowSource) throws(ImageError) -> any RowSource {
        guard rows.info.alpha == .premultiplied else { return try SRGBRowSource(rows) }
        return try SRGBRowSource(rows.converted(to: rows.info.format, alpha: .straight))
    }

    /// Whether pixels converted from `info` to `wanted` still mean what the profile says.
    private func keepsProfile(_ info: BitmapInfo, _ wanted: BitmapInfo) -> Bool {
        // A profile is for grey or for colours, not for both.
        guard info.format.isGray == wanted.format.isGray else { return false }
        // The background is sRGB. Only black and white are the same in every profile.
        let flattens = info.alpha.hasAlpha && !wanted.alpha.hasAlpha
        let background = options.background
        let isBlackOrWhite =
            background.red == background.green && background.green == background.blue
            && (background.red == 0 || background.red == 255)
        return !flattens || isBlackOrWhite
    }
}
