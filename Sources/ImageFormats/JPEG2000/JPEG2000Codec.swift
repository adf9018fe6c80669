#if JPEG2000
internal import CTesseraJP2
public import Raster

/// Reads and writes JPEG 2000 (ISO/IEC 15444-1) with OpenJPEG, and reads HTJ2K (15444-15).
///
/// Boxes and the markers of the codestream are read in Swift, so sizes, tiles and memory are checked before OpenJPEG gets
/// any data. It gets one tile at a time, as a separate codestream: memory is that of a row of tiles, and a region or a
/// reduced size reads only its tiles and resolution levels.
///
/// Reads 1 to 31 bits, signed and unsigned, palettes, channel definitions with alpha, subsampled components, grey, RGB, sYCC,
/// e-sYCC and CMYK, ICC profiles, Exif and XMP. Writes 8 and 16 bits of grey and RGB with straight alpha, in tiles, with
/// resolution levels and quality layers, lossless (5-3) or lossy (9-7).
///
/// The library is loaded when the first file is read or written.
public struct JPEG2000Codec: ImageCodec {
    /// The format: `.jpeg2000` or `.jpeg2000Codestream`.
    public let format: ImageFormat

    /// A codec for files of boxes or, with `.jpeg2000Codestream`, for codestreams without boxes.
    public init(_ format: ImageFormat = .jpeg2000) {
        self.format = format
    }

    /// Decodes and encodes, with alpha, deep colour, and lossless or lossy compression.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .scaledDecoding, .alpha, .deepColor, .lossless, .lossy]
    }

    /// Matches the signature box, or the first two markers of a codestream.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { probe.match(format) }

    /// Makes a session that decodes once all bytes have arrived, since tiles may be stored in any order.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try JPEG2000Library.load()
        return WholeInputDecoder(format, limits: options.limits) { (bytes) throws(ImageError) in
            try JPEG2000Picture(Source(bytes), options: options)
        }
    }

    /// The same with straight alpha. A file of boxes keeps an ICC profile; a codestream is in sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var info = info.straight
        if format == .jpeg2000Codestream { info.profile = .sRGB }
        return info
    }

    /// Makes a sink that compresses each row of tiles when it is complete; the file is written at the end.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try JPEG2000Encoder(info, format: format, options: options, output: output)
    }
}

extension JPEG2000Codec: InPlaceDecoding {
    func makePicture(in source: Source, options: DecodingOptions) throws(ImageError) -> (any WholePicture)? {
        guard source.allowsRandomAccess(options.limits) else { return nil }
        try JPEG2000Library.load()
        return try JPEG2000Picture(source, options: options)
    }
}

/// OpenJPEG, as it is installed.
enum JPEG2000Library {
    /// - Throws: `unsupported` if the library isn't installed.
    static func load() throws(ImageError) {
        guard tessera_jp2_load() else {
            throw ImageError(
                .unsupported, "JPEG 2000 needs OpenJPEG, which isn't installed (Debian's package: libopenjp2-7)")
        }
    }

    /// Calls `body` with the number of threads for a tile of `pixelCount` pixels: starting them takes longer than coding a
    /// small one.
    static func withThreads<R, E: Error>(pixelCount: Int, _ body: (UInt8) throws(E) -> R) throws(E) -> R {
        guard pixelCount >= 1 << 18 else { return try body(1) }
        return try ProcessorShare.perform { (count) throws(E) in try body(UInt8(count)) }
    }
}

// Estimated from OpenJPEG's structures: an image in one tile is decoded to 32 bits a sample, its coefficients being in
// the same memory; measured times are in Benchmarks.
extension JPEG2000Codec {
    /// The memory of an image in one tile, which is decoded in parts where it is large.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        var cost = CodingCost.inOneCall(
            header.storedSize, bytesPerPixel: header.colorModel == .gray ? 8 : 20, secondsPerMegapixel: 0.15,
            baseByteCount: 8 << 20)
        cost.byteCount = min(cost.byteCount, 1 << 30)
        return cost
    }

    /// The memory of a row of tiles, of the tile being compressed, and of the file.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        let tile = JPEG2000Encoder.tileSize(of: info.size, options: options)
        let tileRow = Double(info.size.width) * Double(tile.height) * info.storedBytesPerPixel
        let coefficients = Double(tile.width) * Double(tile.height) * 24
        return CodingCost(
            of: info.size, bytesPerPixel: info.storedBytesPerPixel * 0.8, secondsPerMegapixel: 0.4,
            baseByteCount: 8 << 20 + Int(min(tileRow + coefficients, 1e15)))
    }
}
#endif
