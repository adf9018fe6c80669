#if JPEGXL
internal import CTesseraJXL
public import Raster

/// Stores a JPEG losslessly as JPEG XL, in about a fifth less space, and restores it bit for bit.
///
/// ```swift
/// let smaller = try JPEGXL.data(losslesslyFrom: jpeg)
/// let same = try JPEGXL.jpegData(from: smaller)
/// ```
public enum JPEGXL {
    /// Converts a JPEG to a JPEG XL file that has the same coefficients, and from which `jpegData(from:)` restores the
    /// JPEG's exact bytes. Any JPEG XL decoder reads it as an image.
    ///
    /// The JPEG is restored and compared before this returns.
    /// - Parameter effort: The compression effort, 1 (fast) to 9 (small).
    /// - Throws: `unsupported` for a JPEG that libjxl can't restore exactly (arithmetic coding, 12 bits, CMYK, some
    ///   samplings), for data that isn't a JPEG, or without libjxl.
    public static func data(losslesslyFrom jpeg: some Sequence<UInt8>, effort: Int = 7) throws(ImageError) -> [UInt8] {
        guard (1...9).contains(effort) else {
            throw ImageError(.invalidParameter, "an effort of \(effort) is not between 1 and 9")
        }
        let jpeg = Array(jpeg)
        let buffer = ByteBuffer()
        try JPEGXLCompressor(output: buffer).write(jpeg: jpeg, effort: effort)
        // libjxl 0.7 accepts some JPEGs that it then fails to restore, or restores differently.
        guard (try? jpegData(from: buffer.bytes, limits: .standard)) == jpeg else {
            throw ImageError(.unsupported, "libjxl can't give this JPEG back to the bit")
        }
        return buffer.bytes
    }

    /// Restores the JPEG that a JPEG XL file was made from, bit for bit; nil if the file wasn't made from a JPEG.
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
        // The shim allocates the bytes; the caller frees them.
        defer { tessera_jxl_free(jpeg) }
        switch status {
        case Int32(TESSERA_UNSUPPORTED): return nil
        case Int32(TESSERA_TRUNCATED): throw ImageError(.truncated, "the JPEG XL file ends before its image does")
        case Int32(TESSERA_LIMIT):
            throw ImageError(
                .limitExceeded,
                "the JPEG is larger than the limit of \(limits.maximumInputByteCount) bytes"
                    + " (DecodingLimits.maximumInputByteCount)")
        case Int32(TESSERA_NO_MEMORY): throw ImageError(.outOfMemory, "no memory for the JPEG")
        case Int32(TESSERA_OK): return [UInt8](UnsafeBufferPointer(start: jpeg, count: count))
        default: throw ImageError(.corrupt, "no JPEG can be made of the JPEG XL file")
        }
    }

    /// Throws if the image exceeds the limits, before libjxl reads its pixels.
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
    /// Restores the JPEG that `file` was made from; nil if it wasn't made from a JPEG.
    package func recompress(
        _ file: [UInt8], as format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8]? {
        format == .jpeg ? try JPEGXL.jpegData(from: file) : nil
    }
}

extension JPEGCodec: Recompressing {
    /// Converts the JPEG's coefficients to a JPEG XL file.
    package func recompress(
        _ file: [UInt8], as format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8]? {
        format == .jpegXL ? try JPEGXL.data(losslesslyFrom: file, effort: options.jpegXL.effort) : nil
    }
}
#endif
