public import Raster

/// Limits on the resources that an image may require. Each is checked before memory is allocated.
public struct DecodingLimits: Hashable, Sendable {
    /// The most pixels in one image.
    public var maximumPixelCount: Int
    /// The most pixels on one side.
    public var maximumSideLength: Int
    /// The most bytes of encoded input that a decoder buffers.
    public var maximumInputByteCount: Int
    /// The most bytes of working memory for one decoder, in addition to the pixels it delivers.
    public var maximumWorkingByteCount: Int
    /// The most bytes in one metadata block (ICC profile, EXIF, XMP) once unpacked. Larger ones fail or are ignored.
    public var maximumMetadataByteCount: Int
    /// The most scans in a progressive image. Each requires a pass over all pixels.
    public var maximumScanCount: Int
    /// The most frames or pages in one file.
    public var maximumFrameCount: Int
    /// The most bytes of pixels for each byte of input, for images with at least 64 MiB of pixels. SVG is exempt.
    ///
    /// Blank images reach 8256 as PNGs of 1-bit grey, 100,000 in lossless WebP and JPEG XL, 260,000 in fax codes (TIFF,
    /// Group 4), and 350,000 in AVIF of 100 megapixels. While bytes arrive, decoding starts once there are enough for
    /// this ratio.
    public var maximumCompressionRatio: Int

    /// Limits that protect a server and admit every photograph: 1 gigapixel, about a million pixels a side, 1 GiB of
    /// input, 1 GiB of working memory, 16 MiB of metadata, 100 scans (encoders write about ten), 65,536 frames, and
    /// pixels of 500,000 times the file's size.
    public static let standard = DecodingLimits(
        maximumPixelCount: 1 << 30, maximumSideLength: 1 << 20, maximumInputByteCount: 1 << 30,
        maximumWorkingByteCount: 1 << 30, maximumMetadataByteCount: 16 << 20, maximumScanCount: 100,
        maximumFrameCount: 1 << 16, maximumCompressionRatio: 500_000)

    /// Creates limits; `standard` is a good start.
    public init(
        maximumPixelCount: Int, maximumSideLength: Int, maximumInputByteCount: Int, maximumWorkingByteCount: Int,
        maximumMetadataByteCount: Int, maximumScanCount: Int, maximumFrameCount: Int, maximumCompressionRatio: Int
    ) {
        self.maximumPixelCount = maximumPixelCount
        self.maximumSideLength = maximumSideLength
        self.maximumInputByteCount = maximumInputByteCount
        self.maximumWorkingByteCount = maximumWorkingByteCount
        self.maximumMetadataByteCount = maximumMetadataByteCount
        self.maximumScanCount = maximumScanCount
        self.maximumFrameCount = maximumFrameCount
        self.maximumCompressionRatio = maximumCompressionRatio
    }

    /// Checks an image's size.
    /// - Throws: `corrupt` if a side is 0, `limitExceeded` if the size exceeds a limit.
    public func check(_ size: PixelSize, format: ImageFormat) throws(ImageError) {
        guard !size.isEmpty else {
            throw ImageError(
                .corrupt, "invalid size \(size) of the \(format) image: width and height must be at least 1")
        }
        guard max(size.width, size.height) <= maximumSideLength else {
            throw ImageError(
                .limitExceeded,
                "a side of the \(format) image of \(size) pixels is too long; the limit is \(maximumSideLength)"
                    + " (DecodingLimits.maximumSideLength)")
        }
        guard size.pixelCount <= maximumPixelCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) image has \(size.pixelCount) pixels (\(size)); the limit is \(maximumPixelCount)"
                    + " (DecodingLimits.maximumPixelCount)")
        }
    }

    /// Checks the number of bytes of encoded input.
    func checkInput(_ byteCount: Int, format: ImageFormat, byteOffset: Int? = nil) throws(ImageError) {
        guard byteCount <= maximumInputByteCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file is larger than the limit of \(maximumInputByteCount) bytes"
                    + " (DecodingLimits.maximumInputByteCount)",
                byteOffset: byteOffset)
        }
    }

    /// Checks the number of bytes of input that a decoder holds.
    /// - Throws: `limitExceeded`.
    func checkHeld(_ byteCount: Int, format: ImageFormat) throws(ImageError) {
        guard byteCount <= maximumInputByteCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file needs \(byteCount) bytes at once; the limit is \(maximumInputByteCount)"
                    + " (DecodingLimits.maximumInputByteCount)")
        }
    }

    /// Checks the number of bytes of an image's header.
    /// - Throws: `limitExceeded`.
    func checkHeader(_ byteCount: Int, format: ImageFormat) throws(ImageError) {
        guard byteCount <= maximumMetadataByteCount else {
            throw ImageError(
                .limitExceeded,
                "the header of the \(format) file is longer than the limit of \(maximumMetadataByteCount) bytes"
                    + " (DecodingLimits.maximumMetadataByteCount)")
        }
    }

    /// Checks the number of an animation's frames.
    /// - Throws: `limitExceeded`.
    func checkFrameCount(_ count: Int, format: ImageFormat) throws(ImageError) {
        guard count <= maximumFrameCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) animation has \(count) frames; the limit is \(maximumFrameCount)"
                    + " (DecodingLimits.maximumFrameCount)")
        }
    }

    /// Checks an amount of working memory before it is allocated.
    /// - Parameter what: The purpose of the memory, for the message.
    /// - Throws: `limitExceeded`.
    func checkWorkingMemory(_ byteCount: Int, for what: String) throws(ImageError) {
        guard byteCount <= maximumWorkingByteCount else {
            throw ImageError(
                .limitExceeded,
                "\(what) would take \(byteCount) bytes; the limit is \(maximumWorkingByteCount)"
                    + " (DecodingLimits.maximumWorkingByteCount)")
        }
    }
}
