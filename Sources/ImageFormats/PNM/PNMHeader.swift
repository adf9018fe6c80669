internal import Raster

/// The properties of an image that precede its samples.
struct PNMHeader {
    /// The width and height in pixels.
    var size: PixelSize
    /// Whether samples are decimal text.
    var isPlain: Bool
    /// Whether samples are single bits and 1 is black: a PBM.
    var isBitmap: Bool
    /// Whether a pixel's colour is one sample instead of three.
    var isGray: Bool
    /// Whether a pixel's last sample is alpha, not premultiplied.
    var hasAlpha: Bool
    /// The value of white and of opaque, 1 to 65535.
    var maximumValue: Int

    /// The samples in a pixel.
    var channelCount: Int { (isGray ? 1 : 3) + (hasAlpha ? 1 : 0) }
    /// The bytes of a sample in a raw file.
    var sampleByteCount: Int { maximumValue > 255 ? 2 : 1 }
    /// The bits that `maximumValue` takes.
    var bitsPerSample: Int { Int.bitWidth - maximumValue.leadingZeroBitCount }
    /// The bytes of a row in a raw file.
    var rowByteCount: Int { isBitmap ? (size.width + 7) / 8 : size.width * channelCount * sampleByteCount }
}
