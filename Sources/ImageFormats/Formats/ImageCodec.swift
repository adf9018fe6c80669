public import Raster

/// One format's way in and out: identifies its bytes and makes decoders and encoders.
///
/// A codec is a small value without state; what has state are the sessions that it makes.
public protocol ImageCodec: Sendable {
    /// What it reads and writes.
    var format: ImageFormat { get }
    /// What it can do, as installed here.
    var capabilities: ImageCapabilities { get }

    /// Why it can't decode though it would otherwise: what isn't installed, and what to do. nil for a codec that can.
    var missingRequirement: String? { get }

    /// Whether the bytes are for this codec.
    ///
    /// The format in a match may be more general than `format` while bytes are still arriving: JPNG's codec claims
    /// what starts as a JPEG, and says so.
    func identify(_ probe: borrowing FormatProbe) -> FormatMatch

    /// A session for the bytes that `probe` looks at the beginning of. The bytes themselves are appended afterwards,
    /// from the first one on.
    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder

    /// A session for the frames of an animation, as `makeDecoder` is one for a still.
    func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder

    /// The kind of rows that an encoder would take for a picture like `info`, as near to it as the format can be.
    ///
    /// What differs, `ImageDestination` converts: depth, premultiplied alpha, alpha on a background, the profile.
    func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo

    /// A sink that writes a file to `output` from rows of `info`, a result of `encodableInfo(for:options:)`.
    func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink

    /// Writes a finished picture whose info is encodable: where seeing all pixels first makes a better file.
    func encode(_ bitmap: Bitmap, options: EncodingOptions, output: any ByteSink) throws(ImageError)

    /// A sink that writes a file of `count` pictures to `output`: frames or pages, as the format has them.
    ///
    /// Each picture given to it is of `info`'s kind, a result of `encodableInfo(for:options:)`; its size may differ
    /// only where the format has pages.
    func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink

    /// An upper estimate of what decoding the image that `header` describes takes, beside the rows handed out.
    func decodingCost(of header: ImageHeader) -> CodingCost

    /// An upper estimate of what encoding an image of `info`, a result of `encodableInfo(for:options:)`, takes, beside its
    /// rows. An animation takes as much for each frame.
    func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost
}

extension ImageCodec {
    /// Whether it makes decoders.
    public var canDecode: Bool { capabilities.contains(.decode) }
    /// Whether it makes encoders.
    public var canEncode: Bool { capabilities.contains(.encode) }

    /// Nothing is missing.
    public var missingRequirement: String? { nil }

    /// A format without animations is refused with `unsupported`.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        throw ImageError(.unsupported, "\(format) files hold no animations that can be read")
    }

    /// A format of single pictures is refused with `unsupported`.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        throw ImageError(.unsupported, "\(format) files hold one picture")
    }

    /// A codec that only reads takes no rows.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo { info }

    /// A codec that only reads refuses with `unsupported`.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        throw ImageError(.unsupported, "\(format) can't be written")
    }

    /// Pushes the rows into an encoder, one strip after the other.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        let encoder = try makeEncoder(bitmap.info, options: options, output: output)
        try encoder.writeRows(of: bitmap)
        try Interruption.check()
        try encoder.finish()
    }

    /// For a codec that states none: all pixels, three times, and 0.1 s a megapixel.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 12, secondsPerMegapixel: 0.1, endsWhenCancelled: false)
    }

    /// For a codec that states none: all pixels, three times, and 0.1 s a megapixel.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(
            of: info.size, bytesPerPixel: 3 * Double(info.format.bytesPerPixel), secondsPerMegapixel: 0.1,
            endsWhenCancelled: false)
    }
}

/// What a codec can do with its format, as installed here.
public struct ImageCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Capabilities of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Makes decoders.
    public static let decode = ImageCapabilities(rawValue: 1 << 0)
    /// Makes encoders.
    public static let encode = ImageCapabilities(rawValue: 1 << 1)
    /// Makes decoders for animations.
    public static let decodeAnimation = ImageCapabilities(rawValue: 1 << 2)
    /// Writes several pictures as frames, to be shown one after the other.
    public static let encodeAnimation = ImageCapabilities(rawValue: 1 << 3)
    /// Reads each of several pictures in a file by its index.
    public static let decodePages = ImageCapabilities(rawValue: 1 << 4)
    /// Writes several pictures as pages, each of a size of its own.
    public static let encodePages = ImageCapabilities(rawValue: 1 << 5)
    /// Delivers rows or passes before all bytes are there.
    public static let incremental = ImageCapabilities(rawValue: 1 << 6)
    /// Decodes less than all of the pixels for a small target size.
    public static let scaledDecoding = ImageCapabilities(rawValue: 1 << 7)
    /// Pictures have no pixels of their own: they are drawn at the size that is asked for, larger ones too.
    public static let vector = ImageCapabilities(rawValue: 1 << 12)
    /// Writes the orientation of `EncodingOptions.metadata` for the reader to apply. For a format without this capability
    /// `ImageDestination` turns the pixels.
    public static let orientation = ImageCapabilities(rawValue: 1 << 13)
    /// The format has transparency.
    public static let alpha = ImageCapabilities(rawValue: 1 << 8)
    /// Reads or writes more than 8 bits per channel.
    public static let deepColor = ImageCapabilities(rawValue: 1 << 9)
    /// Writes every pixel as it is.
    public static let lossless = ImageCapabilities(rawValue: 1 << 10)
    /// Writes fewer bytes for less quality.
    public static let lossy = ImageCapabilities(rawValue: 1 << 11)
}
