public import Raster

/// One format's way in and out: identifies its bytes and makes decoders and encoders.
///
/// A codec is a small value without state; what has state are the sessions that it makes.
public protocol ImageCodec: Sendable {
    /// What it reads and writes.
    var format: ImageFormat { get }
    /// What it can do, as installed here.
    var capabilities: ImageCapabilities { get }

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
}

extension ImageCodec {
    /// Whether it makes decoders.
    public var canDecode: Bool { capabilities.contains(.decode) }
    /// Whether it makes encoders.
    public var canEncode: Bool { capabilities.contains(.encode) }

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
        try encoder.write(bitmap.rows)
        try encoder.finish()
    }
}
