#if JPEGXL
internal import CTesseraJXL
public import Raster

/// Reads and writes JPEG XL (ISO/IEC 18181), bare codestreams and containers, with libjxl.
///
/// The library is loaded when the first decoder or encoder is created, which throws `unsupported` if it isn't
/// installed. CMYK is decoded to RGB.
public struct JPEGXLCodec: ImageCodec {
    /// Creates the codec.
    public init() {}

    /// `ImageFormat.jpegXL`.
    public var format: ImageFormat { .jpegXL }
    /// Decoding and encoding of stills and animations, lossless and lossy, with alpha and deep colour.
    public var capabilities: ImageCapabilities {
        [
            .decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha, .deepColor, .lossless, .lossy,
            .orientation, .highDynamicRange,
        ]
    }

    /// A match for the codestream's first two bytes or the container's first box; animated if the header has animation.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { JPEGXLSignature.identify(probe) }

    /// Creates a session for the image, or for an animation's first frame.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        // A bare codestream has no boxes.
        try StandardAlternateDecoder(
            self, options: options, mayHaveMap: { $0.starts(with: JPEGXLContainer.signature) }
        ) { options throws(ImageError) in
            try JPEGXLDecoder(options: options)
        }
    }

    /// Creates a session for the frames of an animation, each fully composited; a still image has one frame.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        try JPEGXLAnimationDecoder(options: options)
    }

    /// The same pixels with straight alpha. PQ and HLG are kept in the primaries that the format has numbers for. An ICC profile is kept if it fits the colour model, and becomes sRGB
    /// otherwise.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info.straight
        if case .icc(let icc) = info.profile, !icc.isICCProfile(for: info.format.isGray ? .gray : .rgb) {
            encodable.profile = .sRGB
        }
        if let space = HighDynamicRangeSpace(info.profile), space.jpegXLPrimaries(isGray: info.format.isGray) == nil {
            encodable.profile = .sRGB
        }
        return encodable
    }

    /// Creates a sink that collects all rows, as libjxl requires, and compresses them after the last.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        let compressor = try JPEGXLCompressor(output: output)
        try compressor.start(info, options: options, isAnimation: false)
        return CountedRowSink(RemainingRows(info, in: .jpegXL)) { (rows) throws(ImageError) in
            try compressor.write(rows)
        } end: { () throws(ImageError) in
            try compressor.endPicture(isLast: true)
        }
    }

    /// Creates a sink that compresses frames as they arrive, each covering the whole canvas. Durations are rounded to
    /// milliseconds, at least 1.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        let remaining = try RemainingFrames(count, of: info, in: .jpegXL)
        let compressor = try JPEGXLCompressor(output: output)
        try compressor.start(info, options: options, isAnimation: true)
        return CountedFrameSink(remaining) { (frame, duration, index) throws(ImageError) in
            guard duration >= 0, duration <= 1_000_000 else {
                throw ImageError(.invalidParameter, "a frame can't be shown for \(duration) seconds")
            }
            try compressor.write(frame.rows)
            // A frame with duration 0 would be a layer of the next one.
            try compressor.endPicture(
                milliseconds: max(1, UInt32((duration * 1000).rounded())), isLast: index == count - 1)
        }
    }
}

/// The libjxl library, loaded at run time.
enum JPEGXLLibrary {
    /// Loads the library, once.
    /// - Throws: `unsupported` if it isn't installed.
    static func load() throws(ImageError) {
        guard !tessera_jxl_load() else { return }
        // The name is a static string.
        let name = String(cString: tessera_jxl_library_name())
        throw ImageError(
            .unsupported,
            "JPEG XL needs the library \(name), which isn't installed (Debian: libjxl0.7; Homebrew: jpeg-xl)")
    }
}

// Measured with libjxl 0.7, one thread. Decoding: 22 to 27 ns and 5 to 9 bytes a pixel, lossless 170 ns. Lossy
// encoding: 47 to 70 ns and 38 bytes up to effort 3, 170 to 390 ns and 45 to 80 bytes at effort 7. Lossless encoding:
// 1.3 to 2.1 µs and 60 to 80 bytes. An image is compressed in one call that can't be cancelled: libjxl ends the process
// when its parallel runner fails.
extension JPEGXLCodec {
    /// The cost of floating-point planes for the part being decoded.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(
            of: header.storedSize, bytesPerPixel: 9, secondsPerMegapixel: 0.1, baseByteCount: 16 << 20,
            endsWhenCancelled: false)
    }

    /// The cost of several sets of floating-point planes.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        let isLossless = options.isLossless || JPEGXLCompressor.distance(quality: options.quality) == 0
        let isFast = options.jpegXL.effort <= 3
        let seconds =
            switch (isLossless, isFast) {
            case (true, true): 0.25
            case (true, false): options.jpegXL.effort > 7 ? 8 : 2.2
            case (false, true): 0.08
            case (false, false): options.jpegXL.effort > 7 ? 3 : 0.4
            }
        return CodingCost(
            of: info.size, bytesPerPixel: isLossless || !isFast ? 90 : 42, secondsPerMegapixel: seconds,
            baseByteCount: 32 << 20, endsWhenCancelled: false)
    }
}
#endif
