public import Raster

/// How much a picture may ask for. Checked before anything of the kind is allocated.
public struct DecodingLimits: Hashable, Sendable {
    /// Pixels in one picture, at most.
    public var maximumPixelCount: Int
    /// Pixels on one side, at most.
    public var maximumSideLength: Int
    /// Bytes of encoded input that a decoder holds on to, at most.
    public var maximumInputByteCount: Int
    /// Bytes of working memory that one decoder may take beside the pixels it is handed, at most.
    public var maximumWorkingByteCount: Int
    /// Bytes of one metadata block (ICC profile, EXIF, XMP) once unpacked, at most; larger ones are refused or left out.
    public var maximumMetadataByteCount: Int
    /// Scans of a progressive picture, at most: each costs a pass over the whole of it.
    public var maximumScanCount: Int
    /// Frames or pages in one file, at most.
    public var maximumFrameCount: Int
    /// Bytes of pixels per byte of input, at most, for pictures of 64 MiB of pixels and more; drawings (SVG) apart.
    ///
    /// Deflate, the best at blank pictures of what PNG and TIFF have, reaches 8256 for a grey one of 1 bit. While bytes
    /// arrive, decoding begins when there are as many as the ratio asks for.
    public var maximumCompressionRatio: Int

    /// What protects a server and still opens every photograph: 1 gigapixel, a million a side, 1 GiB of input, 1 GiB of
    /// working memory, 16 MiB of metadata, 100 scans (encoders make about ten), 65,536 frames, and pixels of 10,000 times
    /// the file's size.
    public static let standard = DecodingLimits(
        maximumPixelCount: 1 << 30, maximumSideLength: 1 << 20, maximumInputByteCount: 1 << 30,
        maximumWorkingByteCount: 1 << 30, maximumMetadataByteCount: 16 << 20, maximumScanCount: 100,
        maximumFrameCount: 1 << 16, maximumCompressionRatio: 10_000)

    /// Limits of these values.
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

    /// Checks a picture's size.
    /// - Throws: `corrupt` for a side of 0, `limitExceeded` for one beyond the limits.
    public func check(_ size: PixelSize, format: ImageFormat) throws(ImageError) {
        guard !size.isEmpty else { throw ImageError(.corrupt, "the \(format) picture's size is \(size)") }
        guard max(size.width, size.height) <= maximumSideLength else {
            throw ImageError(
                .limitExceeded, "the \(format) picture is \(size) pixels; the limit for a side is \(maximumSideLength)")
        }
        guard size.pixelCount <= maximumPixelCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) picture has \(size.pixelCount) pixels (\(size)); the limit is \(maximumPixelCount)")
        }
    }

    /// Checks bytes of encoded input.
    func checkInput(_ byteCount: Int, format: ImageFormat, byteOffset: Int? = nil) throws(ImageError) {
        guard byteCount <= maximumInputByteCount else {
            throw ImageError(
                .limitExceeded, "the \(format) file is larger than the limit of \(maximumInputByteCount) bytes",
                byteOffset: byteOffset)
        }
    }

    /// Checks working memory that is about to be taken. `what` names it in the message.
    /// - Throws: `limitExceeded`.
    public func checkWorkingMemory(_ byteCount: Int, for what: String) throws(ImageError) {
        guard byteCount <= maximumWorkingByteCount else {
            throw ImageError(
                .limitExceeded, "\(what) would take \(byteCount) bytes; the limit is \(maximumWorkingByteCount)")
        }
    }
}
