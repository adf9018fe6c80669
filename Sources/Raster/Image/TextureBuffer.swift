/// Pixels in a GPU's texture layout: premultiplied, 8 bits to a channel, upright, rows without padding.
public struct TextureBuffer: Sendable {
    /// The order of the channels in memory.
    public enum Order: Hashable, Sendable {
        /// Red, green, blue, alpha.
        case rgba
        /// Blue, green, red, alpha.
        case bgra
    }

    /// The order of the channels.
    public let order: Order
    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int
    /// 4 × `width` × `height` bytes, row after row from the top.
    public let bytes: [UInt8]
    /// The colour space of the values.
    public let profile: ColorProfile

    /// Bytes from one row to the next: 4 × `width`.
    public var bytesPerRow: Int { 4 * width }

    /// The pixels of `bitmap`, converted if necessary.
    /// - Throws: `outOfMemory`.
    public init(_ bitmap: Bitmap, order: Order) throws(ImageError) {
        let pixels = try bitmap.converted(to: .rgba8, alpha: .premultiplied)
        self.order = order
        (width, height, profile) = (pixels.width, pixels.height, pixels.profile)
        var bytes = pixels.tightBytes()
        if order == .bgra {
            bytes.withUnsafeMutableBytes { bytes in
                for pixel in 0..<(bytes.count / 4) {
                    let value = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * pixel, as: UInt32.self))
                    let swapped = value & 0xFF00_FF00 | (value & 0xFF) << 16 | value >> 16 & 0xFF
                    bytes.storeBytes(of: swapped.littleEndian, toByteOffset: 4 * pixel, as: UInt32.self)
                }
            }
        }
        self.bytes = bytes
    }
}
