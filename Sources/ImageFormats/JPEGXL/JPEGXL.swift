#if JPEGXL
internal import CTesseraJXL
public import Raster

/// What JPEG XL can do with a JPEG that no other format can: hold it in about a fifth less space, and give it back to
/// the bit.
///
/// ```swift
/// let smaller = try JPEGXL.data(losslesslyFrom: jpeg)
/// let same = try JPEGXL.jpegData(from: smaller)
/// ```
public enum JPEGXL {
    /// A JPEG XL file of what the JPEG's pixels were made of, and of everything else in it: `jpegData(from:)` makes the
    /// same bytes of it again. To others it is a JPEG XL picture like any.
    ///
    /// The JPEG is made again and compared before this returns.
    /// - Parameter effort: How hard to look for a small file, 1 (fast) to 9.
    /// - Throws: `unsupported` for a JPEG that libjxl can't give back to the bit (arithmetic coding, 12 bits, inks, some
    ///   samplings, what is no JPEG), or without libjxl.
    public static func data(losslesslyFrom jpeg: some Sequence<UInt8>, effort: Int = 7) throws(ImageError) -> [UInt8] {
        guard (1...9).contains(effort) else {
            throw ImageError(.invalidParameter, "an effort of \(effort) is not between 1 and 9")
        }
        let jpeg = Array(jpeg)
        let buffer = ByteBuffer()
        try JPEGXLCompressor(output: buffer).write(jpeg: jpeg, effort: effort)
        // libjxl 0.7 takes some JPEGs that it then makes nothing of, or something else.
        guard (try? jpegData(from: buffer.bytes, limits: .standard)) == jpeg else {
            throw ImageError(.unsupported, "libjxl can't give this JPEG back to the bit")
        }
        return buffer.bytes
    }

    /// The JPEG that a file was made of, bit by bit; nil for a picture that was made of none.
    /// - Throws: `corrupt` or `truncated` for a broken file; `limitExceeded` for a JPEG beyond the limits'
    ///   `maximumInputByteCount`; `unsupported` without libjxl.
    public static func jpegData(
        from bytes: some Sequence<UInt8>, limits: DecodingLimits = .standard
    ) throws(ImageError) -> [UInt8]? {
        let bytes = Array(bytes)
        try JPEGXLLibrary.load()
        try checkSize(of: bytes, limits: limits)
        var (jpeg, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = tessera_jxl_reconstruct_jpeg(
            bytes, bytes.count, UInt64(clamping: limits.maximumInputByteCount), &jpeg, &count)
        // The shim leaves the bytes to us.
        defer { tessera_jxl_free(jpeg) }
        switch status {
        case Int32(TESSERA_UNSUPPORTED): return nil
        case Int32(TESSERA_TRUNCATED): throw ImageError(.truncated, "the JPEG XL file ends before its picture does")
        case Int32(TESSERA_LIMIT):
            throw ImageError(
                .limitExceeded, "the JPEG is larger than the limit of \(limits.maximumInputByteCount) bytes")
        case Int32(TESSERA_NO_MEMORY): throw ImageError(.outOfMemory, "no memory for the JPEG")
        case Int32(TESSERA_OK): return [UInt8](UnsafeBufferPointer(start: jpeg, count: count))
        default: throw ImageError(.corrupt, "no JPEG can be made of the JPEG XL file")
        }
    }

    /// Refuses a file whose picture is beyond the limits, before libjxl looks at its pixels.
    private static func checkSize(of bytes: [UInt8], limits: DecodingLimits) throws(ImageError) {
        let stream = try JPEGXLStream(options: DecodingOptions(limits: limits), isAnimation: false)
        try stream.append(bytes.span.bytes)
        try stream.finish()
        let stored = stream.stored
        try limits.checkWorkingMemory(
            Int(stored.width) * Int(stored.height) * 12, for: "keeping the coefficients of the JPEG")
    }
}

extension JPEGXLCodec: Recompressing {
    /// The JPEG that `file` was made of; nil where it was made of none.
    package func recompress(
        _ file: [UInt8], as format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8]? {
        format == .jpeg ? try JPEGXL.jpegData(from: file) : nil
    }
}

extension JPEGCodec: Recompressing {
    /// The JPEG's coefficients as a JPEG XL file.
    package func recompress(
        _ file: [UInt8], as format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8]? {
        format == .jpegXL ? try JPEGXL.data(losslesslyFrom: file, effort: options.jpegXL.effort) : nil
    }
}
#endif
