package import ImageFormats
package import Raster

/// A codec whose decoders run in a worker. It identifies and encodes files like the codec that it wraps.
///
/// It doesn't conform to the protocols that bypass its decoders (`TileAddressable`, `PlaneDecoding`, `InPlaceDecoding`,
/// `Recompressing`): all of them would read the file in this process. `JPEG2000Tiles` needs none: it cuts tiles out of a file for the
/// registry's codec.
package struct IsolatedCodec: ImageCodec {
    private let codec: any ImageCodec
    private let isolation: IsolatedDecoding

    init(_ codec: any ImageCodec, isolation: IsolatedDecoding) {
        self.codec = codec
        self.isolation = isolation
    }

    package var format: ImageFormat { codec.format }
    package var capabilities: ImageCapabilities { codec.capabilities }
    package var canDecode: Bool { codec.canDecode }

    package func identify(_ probe: borrowing FormatProbe) -> FormatMatch { codec.identify(probe) }

    package func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        IsolatedImageDecoder(try isolation.begin(beginning(false, probe, options), format: format))
    }

    package func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        IsolatedAnimationDecoder(try isolation.begin(beginning(true, probe, options), format: format))
    }

    private func beginning(
        _ isAnimation: Bool, _ probe: borrowing FormatProbe, _ options: DecodingOptions
    ) -> Request.Beginning {
        // No format is identified by more bytes at its end than these.
        let suffix = probe.suffix.extracting(last: min(64, probe.suffix.byteCount))
        return Request.Beginning(
            isAnimation: isAnimation, format: format.typeIdentifier, options: options,
            totalByteCount: probe.totalByteCount, suffix: suffix.withUnsafeBytes { Array($0) })
    }

    // MARK: Writing

    package func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        codec.encodableInfo(for: info, options: options)
    }

    package func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try codec.makeEncoder(info, options: options, output: output)
    }

    package func encode(_ bitmap: Bitmap, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try codec.encode(bitmap, options: options, output: output)
    }

    package func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try codec.makeSequenceEncoder(info, count: count, options: options, output: output)
    }

    // MARK: Cost

    package func decodingCost(of header: ImageHeader) -> CodingCost { codec.decodingCost(of: header) }

    package func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        codec.encodingCost(of: info, options: options)
    }
}
