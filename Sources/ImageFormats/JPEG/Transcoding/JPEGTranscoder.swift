internal import CTesseraJPEG
internal import Raster

/// Reads a JPEG's coefficients and writes them again with libjpeg, without decoding pixels.
///
/// Those of a large image of one scan are read on several threads, without libjpeg, which reads all others and damaged ones.
/// All coefficients are in memory: two bytes for each sample, twice if the geometry changes.
struct JPEGTranscoder: ~Copyable {
    let handle: ShimHandle
    /// The file, at an address that doesn't change while the shim reads it.
    let bytes: UnsafeMutableBufferPointer<UInt8>
    /// The dimensions, the sampling factors and the memory that the coefficients take.
    let header: tessera_jpeg_header
    let limits: DecodingLimits

    /// Reads the header of `file`.
    /// - Throws: `limitExceeded` for an image beyond the limits, and the errors of reading a JPEG header.
    init(_ file: [UInt8], limits: DecodingLimits) throws(ImageError) {
        try limits.checkInput(file.count, format: .jpeg)
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, file.count))
        _ = copy.initialize(from: file)
        let header: tessera_jpeg_header
        let handle: ShimHandle
        do throws(ImageError) {
            // The shim reads `file.count` bytes there until it is destroyed, which `deinit` does first.
            handle = try ShimHandle(
                tessera_jpeg_transcoder_create(copy.baseAddress, file.count), "a JPEG's coefficients",
                failing: "the JPEG's coefficients can't be read", tessera_jpeg_transcoder_message,
                destroy: tessera_jpeg_transcoder_destroy)
            var read = tessera_jpeg_header()
            try handle.check(tessera_jpeg_transcoder_read_header(handle.pointer, &read))
            header = read
            try limits.check(PixelSize(width: Int(header.width), height: Int(header.height)), format: .jpeg)
            // Coefficients before and after a change.
            // 65535 x 65535 pixels of four components take less than 2^37 bytes.
            try limits.checkWorkingMemory(2 * Int(header.coefficient_bytes), for: "the JPEG's coefficients")
        } catch {
            copy.deallocate()
            throw error
        }
        (self.handle, self.header, bytes, self.limits) = (handle, header, copy, limits)
    }

    deinit { bytes.deallocate() }

    /// The stored size in pixels.
    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

    /// The size of an MCU, the unit in which coefficients can be cut and mirrored.
    var unit: PixelSize {
        func largest(_ factors: (UInt8, UInt8, UInt8, UInt8)) -> Int {
            8 * Int(max(factors.0, factors.1, factors.2, factors.3))
        }
        return PixelSize(width: largest(header.horizontal_sampling), height: largest(header.vertical_sampling))
    }

    /// Reads the coefficients and writes them as `options` say, without application segments and comments.
    /// - Throws: `corrupt` or `truncated` for damaged data, which can't be kept as it is.
    func run(_ options: tessera_jpeg_transcoding) throws(ImageError) -> [UInt8] {
        var options = options
        try readInSlices(options)
        let scans = UInt32(clamping: limits.maximumScanCount)
        try handle.check(tessera_jpeg_transcoder_run(handle.pointer, &options, scans))
        return output
    }

    /// Writes the coefficients of the last run with another kind of scans.
    func writeAgain(_ options: tessera_jpeg_transcoding) throws(ImageError) -> [UInt8] {
        var options = options
        try handle.check(tessera_jpeg_transcoder_write_again(handle.pointer, &options))
        return output
    }

    private var output: [UInt8] {
        var count = 0
        guard let bytes = tessera_jpeg_transcoder_output(handle.pointer, &count) else { return [] }
        // The shim keeps the bytes until its next call; they are copied here.
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
