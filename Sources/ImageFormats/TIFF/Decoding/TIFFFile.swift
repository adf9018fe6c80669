#if TIFF
internal import CTesseraTIFF
internal import Raster

/// A TIFF file opened with libtiff.
final class TIFFFile {
    /// The file's bytes and directories.
    let structure: TIFFStructure
    private let limits: DecodingLimits
    /// The shim's decoder, owned by this object; nothing else has the pointer.
    private let handle: OpaquePointer
    /// The offset of the open directory.
    private var directory = 0

    init(_ structure: TIFFStructure, limits: DecodingLimits) throws(ImageError) {
        self.structure = structure
        self.limits = limits
        guard let handle = tessera_tiff_decoder_create(UInt64(clamping: max(0, limits.maximumWorkingByteCount))) else {
            throw ImageError(.outOfMemory, "no memory for a TIFF decoder")
        }
        self.handle = handle
    }

    deinit { tessera_tiff_decoder_destroy(handle) }

    /// Opens the directory at `offset`; all other calls apply to the open directory.
    func open(_ offset: Int) throws(ImageError) -> tessera_tiff_picture {
        var picture = tessera_tiff_picture()
        let status = structure.bytes.withInput { input in
            // The shim doesn't keep the pointer to the bytes; the same holds below.
            tessera_tiff_decoder_open(handle, &input, UInt64(clamping: offset), &picture)
        }
        guard status == TESSERA_OK else { throw failure(status, chunk: nil, byteOffset: offset) }
        directory = offset
        return picture
    }

    /// Opens the same directory again, for another thread.
    func duplicate() throws(ImageError) -> TIFFFile {
        let file = try TIFFFile(structure, limits: limits)
        _ = try file.open(directory)
        return file
    }

    /// Returns the ExtraSamples value at `index`.
    func extraSample(_ index: Int) -> Int {
        Int(tessera_tiff_decoder_extra_sample(handle, UInt16(clamping: index)))
    }

    /// Returns the ColorMap: `count` reds, then as many greens and blues, of 16 bits each.
    func palette(count: Int) throws(ImageError) -> [UInt16] {
        var colors = [UInt16](repeating: 0, count: 3 * count)
        let status = tessera_tiff_decoder_palette(handle, &colors, UInt32(clamping: count))
        guard status == TESSERA_OK else { throw failure(status, chunk: nil) }
        return colors
    }

    /// Decompresses a strip or tile into `target`, starting at byte `start`.
    func readChunk(_ index: Int, into target: inout [UInt8], at start: Int) throws(ImageError) {
        precondition(start >= 0 && start <= target.count)
        let status = structure.bytes.withInput { input in
            target.withUnsafeMutableBufferPointer { target in
                tessera_tiff_decoder_read_chunk(
                    handle, &input, UInt32(clamping: index), target.baseAddress! + start,
                    target.count - start)
            }
        }
        guard status == TESSERA_OK else { throw failure(status, chunk: index) }
    }

    /// Decompresses the rows in `rows` of an image in strips, `stride` bytes apart, into `target`.
    /// - Returns: The number of rows decompressed, and the error that stopped the next one, if any.
    func readRows(
        _ rows: Range<Int>, into target: inout [UInt8], stride: Int, chunk: Int
    ) -> (count: Int, failure: ImageError?) {
        precondition(target.count >= rows.count * stride)
        var count: UInt32 = 0
        let status = structure.bytes.withInput { input in
            target.withUnsafeMutableBufferPointer { target in
                tessera_tiff_decoder_read_rows(
                    handle, &input, UInt32(clamping: rows.lowerBound),
                    UInt32(clamping: rows.count), target.baseAddress, stride, &count)
            }
        }
        return (Int(count), status == TESSERA_OK ? nil : failure(status, chunk: chunk))
    }

    /// Converts a part of the image to rgba8 with libtiff.
    func readRGBA(_ part: PixelRect, into rows: inout MutablePixelRows, chunk: Int?) throws(ImageError) {
        precondition(rows.format == .rgba8 && rows.width == part.width && rows.count >= part.height)
        let stride = rows.bytesPerRow
        let status = structure.bytes.withInput { input in
            rows.withUnsafeBase { base in
                // `rows` has the number, width and stride of rows given to the shim.
                tessera_tiff_decoder_read_rgba(
                    handle, &input, UInt32(clamping: part.x), UInt32(clamping: part.y),
                    UInt32(clamping: part.width), UInt32(clamping: part.height),
                    base.assumingMemoryBound(to: UInt8.self), stride)
            }
        }
        guard status == TESSERA_OK else { throw failure(status, chunk: chunk) }
    }

    /// Returns the error for a status. A strip or tile that extends beyond the end of the file means truncation.
    private func failure(_ status: Int32, chunk: Int?, byteOffset: Int? = nil) -> ImageError {
        // The message lives until the next call on the handle; it is copied here.
        let message = String(cString: tessera_tiff_decoder_message(handle))
        var code: ImageError.Code =
            switch status {
            case Int32(TESSERA_UNSUPPORTED): .unsupported
            case Int32(TESSERA_NO_MEMORY): .outOfMemory
            default: .corrupt
            }
        // libtiff's text for an allocation beyond its memory limit.
        if message.contains("defined in open options") { code = .limitExceeded }
        guard let chunk else {
            return ImageError(code, "the TIFF image can't be read: \(message)", byteOffset: byteOffset)
        }
        var (offset, count): (UInt64, UInt64) = (0, 0)
        let isKnown = structure.bytes.withInput { input in
            tessera_tiff_decoder_extent(
                handle, &input, UInt32(clamping: chunk), &offset, &count)
        }
        let end = UInt64(structure.bytes.count)
        if isKnown, code == .corrupt, offset > end || count > end - offset { code = .truncated }
        return ImageError(
            code, "strip or tile \(chunk) of the TIFF image can't be read: \(message)",
            byteOffset: isKnown ? Int(clamping: min(offset, end)) : nil)
    }

    /// Returns whether the limits allow so much working memory.
    func allows(_ byteCount: Int) -> Bool { byteCount <= limits.maximumWorkingByteCount }

    /// Checks the size of decompressed pixels or of working memory against the limits.
    func check(unpacked byteCount: Int, for what: String) throws(ImageError) {
        try limits.checkWorkingMemory(byteCount, for: what)
        try checkRatio(byteCount)
    }

    /// Checks the size of decompressed pixels against the compression ratio limit; below 64 MiB any ratio is allowed.
    func checkRatio(_ byteCount: Int) throws(ImageError) {
        let (most, overflows) = structure.bytes.count.multipliedReportingOverflow(by: limits.maximumCompressionRatio)
        guard byteCount < 64 << 20 || overflows || byteCount <= most else {
            throw ImageError(
                .limitExceeded,
                "\(byteCount) bytes of pixels in a TIFF file of \(structure.bytes.count) bytes; the limit is "
                    + "\(limits.maximumCompressionRatio) times as many (DecodingLimits.maximumCompressionRatio)")
        }
    }
}
#endif
