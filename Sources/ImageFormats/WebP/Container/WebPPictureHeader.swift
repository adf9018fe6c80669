#if WebP
internal import Raster

/// What the first bytes of a VP8 or VP8L chunk say of the picture in it.
struct WebPPictureHeader {
    var size: PixelSize
    var isLossless: Bool
    /// Whether a lossless picture says that it has alpha. A lossy one's is in a chunk of its own.
    var hasAlpha: Bool

    /// How many bytes of the chunk are needed.
    static func byteCount(_ type: WebPChunkType) -> Int { type == .lossless ? 5 : 10 }

    /// The picture that `bytes`, as many as `byteCount(_:)` says, begin; nil when they don't.
    init?(_ type: WebPChunkType, _ bytes: [UInt8]) {
        if type == .lossless {
            // RFC 9649, 3.4: a signature, 14 bits each for the sides, one for alpha, three for the version, which is 0.
            let bits = bytes.number(at: 1, byteCount: 4)
            guard bytes[0] == 0x2F, bits >> 29 == 0 else { return nil }
            size = PixelSize(width: 1 + bits & 0x3FFF, height: 1 + bits >> 14 & 0x3FFF)
            (isLossless, hasAlpha) = (true, bits >> 28 & 1 == 1)
        } else {
            // RFC 6386, 9.1: a key frame, its start code, 14 bits each for the sides and 2 for a scale to show it at.
            guard bytes[0] & 1 == 0, Array(bytes[3..<6]) == [0x9D, 0x01, 0x2A] else { return nil }
            size = PixelSize(
                width: bytes.number(at: 6, byteCount: 2) & 0x3FFF,
                height: bytes.number(at: 8, byteCount: 2) & 0x3FFF)
            (isLossless, hasAlpha) = (false, false)
            guard !size.isEmpty else { return nil }
        }
    }
}
#endif
