public import Raster

/// Writes images in one format, converting any pixels to a form that the format can store.
///
/// Converts depth, premultiplied alpha and greyscale as the format requires. For a format without alpha, the image is
/// drawn on the options' background. The colour profile is embedded if the format supports it; otherwise the pixels are
/// converted to sRGB, so colours keep their appearance. PQ and HLG are kept by formats for high dynamic range
/// (`ImageCapabilities.highDynamicRange`).
///
/// ```swift
/// let file = try AtomicFile(path: "photo.png")
/// try ImageDestination(format: .png).encode(image, to: file)
/// try file.commit()
/// ```
public struct ImageDestination: Sendable {
    /// The format of the files.
    public let format: ImageFormat
    /// The encoding options.
    public let options: EncodingOptions
    let codec: any ImageCodec

    /// A destination for `format`.
    /// - Throws: `unsupported` if `registry` has no codec that writes the format, `invalidParameter` for bad options.
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

    /// Encodes `bitmap` in memory.
    /// - Throws: Errors of the codec, and `outOfMemory`.
    public func encode(_ bitmap: Bitmap) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try encode(bitmap, to: buffer)
        return buffer.bytes
    }

    /// Encodes `image` upright in memory, with its gain map if the format can have one.
    /// - Throws: Errors of decoding and of the codec, and `outOfMemory`.
    public func encode(_ image: Image) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try encode(image, to: buffer)
        return buffer.bytes
    }

    /// Encodes `image` upright to `output`, as `encode(_:to:)` does with its bitmap, with its gain map if the format can
    /// have one.
    public func encode(_ image: Image, to output: any ByteSink) throws(ImageError) {
        guard let codec = codec as? any GainMapCoding, let map = image.gainMap else {
            return try encode(image.bitmap(), to: output)
        }
        try codec.encode(map, options: options, output: output) { (options, output) throws(ImageError) in
            try with(options).encode(image.bitmap(), to: output)
        }
    }

    /// Encodes `bitmap` to `output`.
    ///
    /// The codec sees all pixels before it writes, so a PNG with few colours gets a palette.
    /// - Throws: Errors of the codec or `output`, `limitExceeded` if the file can't be made as small as the options
    ///   require, and `outOfMemory`.
    public func encode(_ bitmap: Bitmap, to output: any ByteSink) throws(ImageError) {
        try Interruption.check()
        guard !turnsPixels else {
            return try turningPixels.encode(bitmap.oriented(by: options.metadata.orientation), to: output)
        }
        var bitmap = try bitmap.resampled(to: encodedSize(of: bitmap.size))
        var options = options
        if let size = options.embeddedThumbnailSize { options.metadata.addThumbnail(of: bitmap, pixelSize: size) }
        if let rows = try encodable(bitmap.makeRowSource()) { bitmap = try rows.makeBitmap() }
        if let target = options.target, isLossy { options = try reaching(target, bitmap, options) }
        guard let maximum = options.maximumByteCount else {
            return try codec.encode(bitmap, options: options, output: output)
        }
        try output.write(encode(bitmap, within: maximum, options: options))
    }

    /// Encodes the rows that `source` delivers to `output` as they arrive.
    ///
    /// Memory holds a few rows wherever the format allows it. A maximum byte count, a target, an embedded thumbnail, or an
    /// orientation that the format can't store requires the whole image in memory.
    /// - Throws: Errors of `source`, the codec or `output`. After an error, `output` doesn't hold a valid file.
    public func encode(_ source: any RowSource, to output: any ByteSink) throws(ImageError) {
        var source = source
        let size = encodedSize(of: source.info.size)
        if size != source.info.size { source = try ResamplingRowSource(source, to: size) }
        let looksForQuality = options.maximumByteCount != nil || options.target != nil && isLossy
        if looksForQuality || options.embeddedThumbnailSize != nil || turnsPixels {
            return try encode(source.makeBitmap(), to: output)
        }
        let rows = try encodable(source) ?? source
        try rows.copyRows(to: codec.makeEncoder(rows.info, options: options, output: output))
    }

    /// Encodes the rows that `source` delivers to `output`: as a whole image if that makes a smaller file and takes at
    /// most 32 MiB, else as they arrive.
    ///
    /// A whole PNG with few colours gets a palette; a JPEG gains nothing.
    package func encodeWholeIfSmall(_ source: any RowSource, to output: any ByteSink) throws(ImageError) {
        let byteCount = source.info.rowByteCount.multipliedReportingOverflow(by: source.info.size.height)
        if format != .jpeg, !byteCount.overflow, byteCount.partialValue <= Self.smallByteCount {
            try encode(source.makeBitmap(), to: output)
        } else {
            try encode(source, to: output)
        }
    }

    private static let smallByteCount = 32 << 20

    /// Whether the options' orientation must be applied to the pixels because the format can't store it.
    var turnsPixels: Bool {
        options.metadata.orientation != .up && !codec.capabilities.contains(.orientation)
    }

    /// The same destination for pixels that are already upright.
    private var turningPixels: ImageDestination {
        var options = options
        options.metadata.orientation = .up
        return with(options)
    }

    /// The same destination with other options.
    func with(_ options: EncodingOptions) -> ImageDestination {
        ImageDestination(format: format, options: options, codec: codec)
    }

    private init(format: ImageFormat, options: EncodingOptions, codec: any ImageCodec) {
        self.format = format
        self.options = options
        self.codec = codec
    }

    /// The size at which an image of `size` is written, reduced to the options' maximum.
    func encodedSize(of size: PixelSize) -> PixelSize {
        guard let maximum = options.maximumPixelSize else { return size }
        return size.fitted(within: PixelSize(width: maximum, height: maximum))
    }

    /// The rows converted to match the codec; nil if they already match.
    func encodable(_ source: any RowSource) throws(ImageError) -> (any RowSource)? {
        var rows = source
        var wanted = codec.encodableInfo(for: rows.info, options: options)
        let isTooBright =
            rows.info.profile.isHighDynamicRange && !codec.capabilities.contains(.highDynamicRange)
        if rows.info.profile != .sRGB,
            wanted.profile != rows.info.profile || !keepsProfile(rows.info, wanted) || isTooBright
        {
            rows = try inSRGB(rows)
            wanted = codec.encodableInfo(for: rows.info, options: options)
        }
        guard wanted.size == rows.info.size, wanted.profile == rows.info.profile else {
            throw ImageError(.unsupported, "\(format) takes neither the image's colours nor sRGB")
        }
        if wanted != rows.info {
            rows = try rows.converted(to: wanted.format, alpha: wanted.alpha, background: options.background)
        }
        return rows === source ? nil : rows
    }

    /// The rows converted to sRGB.
    func inSRGB(_ rows: any RowSource) throws(ImageError) -> any RowSource {
        guard rows.info.alpha == .premultiplied else { return try SRGBRowSource(rows) }
        return try SRGBRowSource(rows.converted(to: rows.info.format, alpha: .straight))
    }

    /// Whether the profile still applies to pixels converted from `info` to `wanted`.
    private func keepsProfile(_ info: BitmapInfo, _ wanted: BitmapInfo) -> Bool {
        // A profile is for either grey or colour.
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
    /// The default format for an image with the properties of `info`.
    ///
    /// Opaque images become JPEG and others PNG. An animation keeps the `source` format if that can be written;
    /// otherwise it becomes GIF if opaque and PNG if not, since GIF has no partial transparency. Returns only formats
    /// that `registry` can write, or PNG if there is none.
    /// - Parameters:
    ///   - isAnimated: Whether the image is an animation.
    ///   - source: The original format of an animation.
    ///   - prefersHEIF: Whether opaque images become HEIC if that can be written.
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

    /// The default format for `bitmap`, as `defaultFormat(for:isAnimated:source:prefersHEIF:registry:)`.
    /// - Parameter examinesPixels: Whether an image with alpha but no transparent pixels counts as opaque.
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
    /// Encodes `bitmap`, which already matches the codec, in at most `maximum` bytes, at the best quality that fits, in
    /// hundredths from 0 to the options' quality.
    ///
    /// Uses a binary search, which assumes that higher quality makes a larger file.
    /// - Throws: `limitExceeded` if even the lowest quality, or the lossless file, is too large.
    func encode(_ bitmap: Bitmap, within maximum: Int, options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let best = try file(bitmap, options)
        if best.count <= maximum { return best }
        guard isLossy else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file has \(best.count) bytes without loss; the limit is \(maximum): raise it, or make the image smaller"
            )
        }
        var trial = options
        trial.quality = 0
        var found = try file(bitmap, trial)
        guard found.count <= maximum else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file has \(found.count) bytes at the lowest quality; the limit is \(maximum): "
                    + "raise it, or make the image smaller")
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

    /// Whether the file is written with losses that depend on the quality.
    private var isLossy: Bool {
        codec.capabilities.contains(.lossy) && !(options.isLossless && codec.capabilities.contains(.lossless))
    }

    func file(_ bitmap: Bitmap, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try codec.encode(bitmap, options: options, output: buffer)
        return buffer.bytes
    }
}

extension ImageDestination {
    /// An upper estimate of the cost of writing an image of `info`, excluding its pixels: the codec's cost, plus the
    /// converted pixels if a conversion is needed.
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
