#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// What libjxl takes to decode a picture. Version 0.7 asks its memory manager for next to nothing, and can't be stopped
/// on the way, so pictures that would take too much are refused beforehand.
enum JPEGXLMemory {
    /// Bytes for a window of `size` in the picture that `stored` describes.
    static func byteCount(_ stored: tessera_jxl_header, _ size: PixelSize, _ format: PixelFormat) -> Int {
        let pixels = Int(stored.width) * Int(stored.height)
        // 32-bit sides, and at most 4096 channels: no sum comes near the largest number.
        let channels = Int(stored.is_gray ? 1 : 3) + Int(stored.extra_channels)
        let perPixel =
            if stored.extra_channels > 0 {
                // Whole pictures of integers and of floats. Measured for lossy colours with alpha: 32 bytes.
                8 * channels
            } else if stored.is_xyb || stored.has_jpeg {
                // Groups of 256 × 256 pixels are put out one by one. Measured: 3 bytes.
                4
            } else {
                // The same, but a palette needs the whole picture in integers. Measured with one: 12 bytes.
                4 * channels + 4
            }
        let (working, overflows) = pixels.multipliedReportingOverflow(by: perPixel)
        guard !overflows else { return .max }
        let (all, allOverflows) = working.addingReportingOverflow(size.pixelCount * format.bytesPerPixel)
        return allOverflows ? .max : all
    }

    /// Bytes of input that a picture must have for its pixels to be worth memory: nothing smaller is anything but a bomb.
    static func leastInputByteCount(_ info: BitmapInfo, limits: DecodingLimits) -> Int {
        let pixelByteCount = info.size.pixelCount * info.format.bytesPerPixel
        return pixelByteCount < 64 << 20 ? 0 : pixelByteCount / max(1, limits.maximumCompressionRatio)
    }
}
#endif
