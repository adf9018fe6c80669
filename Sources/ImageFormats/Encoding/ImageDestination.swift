public import Raster

/// Writes pictures in one format: takes any pixels, converts them to what the format can hold, and encodes.
///
/// Depth, premultiplied alpha and grey are converted where the format asks for it. Where it has no alpha, the picture
/// is drawn on the options' background. A colour profile travels along where the format can carry it; where it can't,
/// the pixels are converted to sRGB, so that colours never change their look.
///
/// ```swift
/// let file = try AtomicFile(path: "photo.png")
/// try ImageDestination(format: .png).encode(image, to: file)
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

    /// The file for `image`, upright, in memory.
    /// - Throws: What decoding and the codec report, and `outOfMemory`.
    public func encode(_ image: Image) throws(ImageError) -> [UInt8] { try encode(image.bitmap()) }

    /// Writes the file for `image` to `output`, upright, as `encode(_:to:)` does for its bitmap.
    public func encode(_ image: Image, to output: any ByteSink) throws(ImageError) {
        try encode(image.bitmap(), to: output)
    }

    /// Writes the file for `bitmap` to `output`.
    ///
    /// The codec sees all pixels before it writes: a PNG of few colours gets a palette.
    /// - Throws: What the codec or `output` reports, `limitExceeded` for a file that can't be made as short as the options
    ///   ask for, and `outOfMemory`.
    public func encode(_ bitmap: Bitmap, to output: any ByteSink) throws(ImageError) {
        try Interruption.check()
        guard !turnsPixels else {
            return try turningPixels.encode(bitmap.oriented(by: options.metadata.orientation), to: output)
        }
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
        if options.maximumByteCount != nil || options.embeddedThumbnailSize != nil || turnsPixels {
            return try encode(source.makeBitmap(), to: output)
        }
        let rows = try encodable(source) ?? source
        try rows.copyRows(to: codec.makeEncoder(rows.info, options: options, output: output))
    }

    /// Writes the file for the image whose rows `source` delivers to `output`: whole where that makes a shorter file and
    /// takes little memory, else while they come.
    ///
    /// A PNG of few colours gets a palette for that; a JPEG gains nothing.
    package func encodeWholeIfSmall(_ source: any RowSource, to output: any ByteSink) throws(ImageError) {
        let byteCount = source.info.rowByteCount.multipliedReportingOverflow(by: source.info.size.height)
        if format != .jpeg, !byteCount.overflow, byteCount.partialValue <= Self.smallByteCount {
            try encode(source.makeBitmap(), to: output)
        } else {
            try encode(source, to: output)
        }
    }

    private static let smallByteCount = 32 << 20

    /// Whether the options' orientation has to be applied to the pixels, as the format has no place for it.
    var turnsPixels: Bool {
        options.metadata.orientation != .up && !codec.capabilities.contains(.orientation)
    }

    /// The same destination for pixels that were turned upright.
    private var turningPixels: ImageDestination {
        var options = options
        options.metadata.orientation = .up
        return ImageDestination(format: format, options: options, codec: codec)
    }

    private init(format: ImageFormat, options: EncodingOptions, codec: any ImageCodec) {
        self.format = format
        self.options = options
        self.codec = codec
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

extension ImageDestination {
    /// The format that suits a picture of `info`'s kind where nobody named one.
    ///
    /// Opaque pictures become JPEG and others PNG. An animation stays one: in `source`, the format that it came in, where
    /// that can be written, else as GIF if it is opaque and as PNG if it isn't, since GIF knows no half-transparent
    /// pixels. Only formats that `registry` can write are named, PNG if there is none.
    /// - Parameters:
    ///   - isAnimated: Whether there are several frames to be shown one after the other.
    ///   - source: The format that an animation came in.
    ///   - prefersHEIF: Whether opaque pictures become HEIC where that can be written.
    public static func defaultFormat(
        for info: BitmapInfo, isAnimated: Bool = false, source: ImageFormat? = nil, prefersHEIF: Bool = false,
        registry: CodecRegistry = .default
    ) -> ImageFormat {
        let hasAlpha = info.alpha.hasAlpha
        if isAnimated {
            let formats = [source, hasAlpha ? .png : .gif, hasAlpha ? .gif : .png].compactMap { $0 }
            if let format = formats.first(where: { registry.capabilities(of: $0).contains(.encodeAnimation) }) {
                return format
            }
        }
        guard !hasAlpha else { return .png }
        return (prefersHEIF ? [.heic, .jpeg] : [.jpeg]).first { registry.canEncode($0) } ?? .png
    }

    /// The format that suits `bitmap` where nobody named one, as `defaultFormat(for:isAnimated:source:prefersHEIF:registry:)`.
    /// - Parameter examinesPixels: Whether a picture that could have transparent pixels and has none counts as opaque.
    public static func defaultFormat(
        for bitmap: Bitmap, examinesPixels: Bool = false, prefersHEIF: Bool = false,
        registry: CodecRegistry = .default
    ) -> ImageFormat {
        var info = bitmap.info
        if examinesPixels, bitmap.isOpaque { info.alpha = .none }
        return defaultFormat(for: info, prefersHEIF: prefersHEIF, registry: registry)
    }
}

extension ImageDestination {
    /// The file for `bitmap`, which the codec can take, in at most `maximum` bytes: the best quality that has a file so
    /// short, of hundredths from 0 to the options' own.
    ///
    /// Quality is searched by halves: a better one makes a larger file, but for a few bytes.
    /// - Throws: `limitExceeded`.
    func encode(_ bitmap: Bitmap, within maximum: Int, options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let best = try file(bitmap, options)
        if best.count <= maximum { return best }
        let canLose = codec.capabilities.contains(.lossy)
        let isLossless = options.isLossless && codec.capabilities.contains(.lossless)
        guard canLose, !isLossless else {
            throw ImageError(
                .limitExceeded, "the \(format) file has \(best.count) bytes without loss; the limit is \(maximum)")
        }
        var trial = options
        trial.quality = 0
        var found = try file(bitmap, trial)
        guard found.count <= maximum else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file has \(found.count) bytes at the lowest quality; the limit is \(maximum)")
        }
        var (fitting, tooGood) = (0, Int((options.quality * 100).rounded(.up)))
        while tooGood - fitting > 1 {
            let middle = (fitting + tooGood) / 2
            trial.quality = Double(middle) / 100
            let bytes = try file(bitmap, trial)
            if bytes.count <= maximum {
                (fitting, found) = (middle, bytes)
            } else {
                tooGood = middle
            }
        }
        return found
    }

    private func file(_ bitmap: Bitmap, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try codec.encode(bitmap, options: options, output: buffer)
        return buffer.bytes
    }
}

extension ImageDestination {
    /// An upper estimate of what writing an image of `info` takes, beside its pixels: the codec's, and the pixels as the
    /// codec wants them where they have to be converted.
    public func encodingCost(of info: BitmapInfo) -> CodingCost {
        let wanted = codec.encodableInfo(for: info, options: options)
        let cost = codec.encodingCost(of: wanted, options: options)
        guard wanted != info else { return cost }
        return cost
            + CodingCost(
                of: info.size, bytesPerPixel: Double(wanted.format.bytesPerPixel), secondsPerMegapixel: 0.01,
                baseByteCount: 0)
    }
}
