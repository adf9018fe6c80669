public import Raster

/// Identifies, decodes and encodes one image format.
///
/// A codec is a small value without state. State lives in the decoders and encoders that it makes.
public protocol ImageCodec: Sendable {
    /// The format that it reads and writes.
    var format: ImageFormat { get }
    /// The codec's capabilities as installed here.
    var capabilities: ImageCapabilities { get }
    /// Whether the codec can make decoders. Doesn't load a library, unless decoding depends on what that can do.
    var canDecode: Bool { get }
    /// Whether the codec can encode if its library can, which isn't loaded to find out.
    var mayEncode: Bool { get }

    /// The reason why decoding is unavailable: what must be installed, and how. Nil if the codec can decode.
    var missingRequirement: String? { get }

    /// Whether this codec handles the bytes.
    ///
    /// The format in a match may be more general than `format` while bytes are still arriving: JPNG's codec claims data
    /// that starts as a JPEG, and reports it as JPEG.
    func identify(_ probe: borrowing FormatProbe) -> FormatMatch

    /// Makes a decoder for the data whose beginning is in `probe`. The data is appended later, from the first byte on.
    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder

    /// Makes a decoder for the frames of an animation, as `makeDecoder` does for a still image.
    func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder

    /// The row properties closest to `info` that an encoder accepts.
    ///
    /// `ImageDestination` converts the differences: depth, premultiplied alpha, alpha on a background, the profile.
    func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo

    /// Makes a sink that writes a file to `output` from rows of `info`, a result of `encodableInfo(for:options:)`.
    func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink

    /// Writes a complete image whose info is encodable. Seeing all pixels first can make a smaller file.
    func encode(_ bitmap: Bitmap, options: EncodingOptions, output: any ByteSink) throws(ImageError)

    /// Makes a sink that writes a file of `count` images to `output`: frames or pages, depending on the format.
    ///
    /// Each image must match `info`, a result of `encodableInfo(for:options:)`; only pages may differ in size.
    func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink

    /// An upper estimate of the cost of decoding the image described by `header`, excluding the rows delivered.
    func decodingCost(of header: ImageHeader) -> CodingCost

    /// An upper estimate of the cost of encoding an image of `info`, a result of `encodableInfo(for:options:)`,
    /// excluding its rows. For an animation, the cost of each frame.
    func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost
}

extension ImageCodec {
    /// Whether the capabilities include decoding.
    public var canDecode: Bool { capabilities.contains(.decode) }
    /// Whether the codec can make encoders.
    public var canEncode: Bool { capabilities.contains(.encode) }

    /// The same as `canEncode`, for codecs whose capabilities don't depend on a library.
    public var mayEncode: Bool { canEncode }

    /// Nil: nothing is missing.
    public var missingRequirement: String? { nil }

    /// Throws `unsupported`, for formats without animations.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        throw ImageError(.unsupported, "\(format) files hold no animations that can be read")
    }

    /// Throws `unsupported`, for formats that hold a single image.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        throw ImageError(.unsupported, "\(format) files hold one image")
    }

    /// Returns `info` unchanged, for codecs that only read.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo { info }

    /// Throws `unsupported`, for codecs that only read.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        throw ImageError(.unsupported, "\(format) can't be written")
    }

    /// Writes the rows to an encoder, strip by strip.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        let encoder = try makeEncoder(bitmap.info, options: options, output: output)
        try encoder.writeRows(of: bitmap)
        try Interruption.check()
        try encoder.finish()
    }

    /// A default estimate: three times all pixels, and 0.1 s per megapixel.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 12, secondsPerMegapixel: 0.1, endsWhenCancelled: false)
    }

    /// A default estimate: three times all pixels, and 0.1 s per megapixel.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(
            of: info.size, bytesPerPixel: 3 * Double(info.format.bytesPerPixel), secondsPerMegapixel: 0.1,
            endsWhenCancelled: false)
    }
}

/// A codec's capabilities as installed here.
public struct ImageCapabilities: OptionSet, Hashable, Sendable {
    /// The raw bits.
    public let rawValue: UInt32

    /// Capabilities with the given raw bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Decodes images.
    public static let decode = ImageCapabilities(rawValue: 1 << 0)
    /// Encodes images.
    public static let encode = ImageCapabilities(rawValue: 1 << 1)
    /// Decodes animations.
    public static let decodeAnimation = ImageCapabilities(rawValue: 1 << 2)
    /// Writes several images as the frames of an animation.
    public static let encodeAnimation = ImageCapabilities(rawValue: 1 << 3)
    /// Reads any of several images in a file by its index.
    public static let decodePages = ImageCapabilities(rawValue: 1 << 4)
    /// Writes several images as pages, which may differ in size.
    public static let encodePages = ImageCapabilities(rawValue: 1 << 5)
    /// Delivers rows or passes before all bytes have arrived.
    public static let incremental = ImageCapabilities(rawValue: 1 << 6)
    /// Decodes fewer pixels for a small target size.
    public static let scaledDecoding = ImageCapabilities(rawValue: 1 << 7)
    /// Images are drawn at the requested size, which may exceed their nominal size.
    public static let vector = ImageCapabilities(rawValue: 1 << 12)
    /// Writes the orientation of `EncodingOptions.metadata` for the reader to apply. For a format without this
    /// capability, `ImageDestination` turns the pixels.
    public static let orientation = ImageCapabilities(rawValue: 1 << 13)
    /// Writes PQ and HLG (ITU-R BT.2100) with their code points. For a format without this capability,
    /// `ImageDestination` converts such pixels to sRGB.
    public static let highDynamicRange = ImageCapabilities(rawValue: 1 << 14)
    /// The format supports transparency.
    public static let alpha = ImageCapabilities(rawValue: 1 << 8)
    /// Reads or writes more than 8 bits per channel.
    public static let deepColor = ImageCapabilities(rawValue: 1 << 9)
    /// Preserves every pixel exactly.
    public static let lossless = ImageCapabilities(rawValue: 1 << 10)
    /// Trades quality for smaller files.
    public static let lossy = ImageCapabilities(rawValue: 1 << 11)
}
