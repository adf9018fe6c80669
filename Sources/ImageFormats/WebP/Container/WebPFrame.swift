#if WebP
internal import Raster

/// One picture in a WebP file, still or frame: where it goes and the chunks of its pixels.
struct WebPFrame {
    /// Where it goes and how long it stays. A still picture covers the canvas.
    var animation: AnimationFrame
    /// What its VP8 or VP8L chunk says; nil until that has begun.
    var picture: WebPPictureHeader?
    /// Whether it has an ALPH chunk.
    var hasAlphaChunk = false
    /// Bytes of its chunks, headers included; nil until the last of them has begun.
    var byteCount: Int?
    /// How many of them have come.
    var arrivedByteCount = 0
    /// Those that have come, less those that were taken.
    var bytes: [UInt8] = []
    /// Whether all of them have come.
    var isComplete = false

    init(_ animation: AnimationFrame) { self.animation = animation }

    /// Whether any pixel may be less than opaque; nil while that isn't known.
    var hasAlpha: Bool? { hasAlphaChunk ? true : picture?.hasAlpha }

    /// Bytes of an ANMF chunk before the frame's own chunks.
    static let headerByteCount = 16

    /// What the first bytes of an ANMF chunk say (RFC 9649, 2.7.1.1).
    static func animation(_ bytes: [UInt8]) -> AnimationFrame {
        AnimationFrame(
            region: PixelRect(
                x: 2 * bytes.number(at: 0, byteCount: 3), y: 2 * bytes.number(at: 3, byteCount: 3),
                width: 1 + bytes.number(at: 6, byteCount: 3), height: 1 + bytes.number(at: 9, byteCount: 3)),
            blending: bytes[15] & 2 == 0 ? .over : .source, disposal: bytes[15] & 1 == 0 ? .keep : .background,
            storedDuration: Double(bytes.number(at: 12, byteCount: 3)) / 1000)
    }
}
#endif
