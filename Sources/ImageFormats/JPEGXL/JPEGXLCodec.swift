#if JPEGXL
internal import CTesseraJXL
public import Raster

/// Reads and writes JPEG XL (ISO/IEC 18181), bare codestreams and files with boxes, by libjxl.
///
/// The library is loaded when the first decoder or encoder is made; where it isn't installed, that is refused with
/// `unsupported`. Inks are read, and become RGB.
public struct JPEGXLCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// JPEG XL.
    public var format: ImageFormat { .jpegXL }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        [
            .decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha, .deepColor, .lossless, .lossy,
            .orientation,
        ]
    }

    /// A match for the codestream's two first bytes or the file's first box, animated where the header says so.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { JPEGXLSignature.identify(probe) }

    /// A session for the picture, or an animation's first frame.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try JPEGXLDecoder(options: options)
    }

    /// A session for the frames of an animation, each as it is shown; a still has one.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        try JPEGXLAnimationDecoder(options: options)
    }

    /// The same picture; alpha is straight, and a profile must be an ICC profile for such pixels, or sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info.straight
        if case .icc(let icc) = info.profile, !icc.isICCProfile(for: info.format.isGray ? .gray : .rgb) {
            encodable.profile = .sRGB
        }
        return encodable
    }

    /// A sink that collects all rows, which libjxl needs, and compresses them when the last has come.
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

    /// A sink that compresses frames as they come, each a picture of the whole canvas. Durations are kept to the
    /// millisecond.
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
            // A frame of no duration would be a layer of the next one.
            try compressor.endPicture(
                milliseconds: max(1, UInt32((duration * 1000).rounded())), isLast: index == count - 1)
        }
    }
}

/// The library that does the work.
enum JPEGXLLibrary {
    /// Loads the library, once.
    /// - Throws: `unsupported` when it isn't installed.
    static func load() throws(ImageError) {
        guard !tessera_jxl_load() else { return }
        // The name is a constant.
        let name = String(cString: tessera_jxl_library_name())
        throw ImageError(
            .unsupported,
            "JPEG XL needs the library \(name), which isn't installed (Debian: libjxl0.7; Homebrew: jpeg-xl)")
    }
}

// Measured with libjxl 0.7, one thread: decoding 22 to 27 ns and 5 to 9 bytes a pixel, without loss 170 ns; encoding with loss 47 to 70 ns and 38
// bytes up to effort 3, 170 to 390 ns and 45 to 80 bytes at effort 7; without loss 1.3 to 2.1 µs and 60 to 80 bytes.
// A picture is compressed in one call that nothing stops: when its parallel runner fails, libjxl ends the process.
extension JPEGXLCodec {
    /// Planes of floating-point numbers of what is being decoded.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(
            of: header.storedSize, bytesPerPixel: 9, secondsPerMegapixel: 0.1, baseByteCount: 16 << 20,
            endsWhenCancelled: false)
    }

    /// Planes of floating-point numbers, several sets of them.
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
