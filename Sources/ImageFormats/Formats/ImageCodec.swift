public import Raster

/// One format's way in and out: identifies its bytes and makes decoders and encoders.
///
/// A codec is a small value without state; what has state are the sessions that it makes.
public protocol ImageCodec: Sendable {
    /// What it reads and writes.
    var format: ImageFormat { get }
    /// Whether it makes decoders.
    var canDecode: Bool { get }
    /// Whether it makes encoders.
    var canEncode: Bool { get }

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
}

extension ImageCodec {
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
