#if WebP
internal import Raster

/// The chunk types that are parsed, by their four-character codes (RFC 9649, section 2).
enum WebPChunkType: String {
    /// The features and the canvas of an extended file.
    case extended = "VP8X"
    /// An ICC profile.
    case profile = "ICCP"
    /// The loop count of an animation.
    case animation = "ANIM"
    /// A frame of an animation, which contains further chunks.
    case frame = "ANMF"
    /// The alpha channel of a lossy image.
    case alpha = "ALPH"
    /// A lossy image.
    case lossy = "VP8 "
    /// A lossless image.
    case lossless = "VP8L"
    /// An EXIF block.
    case exif = "EXIF"
    /// An XMP packet.
    case xmp = "XMP "

    /// The type in a chunk header of eight bytes; nil if it is unknown.
    init?(header: [UInt8]) { self.init(rawValue: String(decoding: header[0..<4], as: UTF8.self)) }
}

extension WebPChunkReader {
    /// Adds the metadata that came after the pixels to `header`.
    func update(_ header: inout ImageHeader) {
        header.metadata.exif = header.metadata.exif ?? exif
        header.metadata.xmp = header.metadata.xmp ?? xmp
        header.sequence?.count = knownFrameCount
    }

    /// Makes the header of an image or animation of size `canvas` from the chunks so far.
    func header(_ canvas: PixelSize, limits: DecodingLimits) throws(ImageError) -> ImageHeader {
        try limits.check(canvas, format: .webP)
        var metadata = ImageMetadata(exif: exif, xmp: xmp)
        if !isEXIFLate, let exif = exif.flatMap({ EXIF($0) }) {
            metadata.orientation = exif.orientation ?? .up
            metadata.resolution = exif.resolution
        }
        let isForColors = profile?.isICCProfile(for: .rgb) ?? false
        return ImageHeader(
            format: .webP, storedSize: canvas, colorModel: .rgb, profile: isForColors ? .icc(profile!) : .sRGB,
            sequence: isAnimated
                ? ImageSequence(.animation, count: knownFrameCount, loopCount: loopCount) : nil,
            metadata: metadata)
    }
}

/// The VP8X chunk: the features of an extended WebP file and the size of its canvas (RFC 9649, section 2.7).
struct WebPExtendedHeader {
    /// The features that the file announces.
    struct Features: OptionSet {
        let rawValue: UInt8

        static let animation = Features(rawValue: 0x02)
        static let xmp = Features(rawValue: 0x04)
        static let exif = Features(rawValue: 0x08)
        static let alpha = Features(rawValue: 0x10)
        static let profile = Features(rawValue: 0x20)
    }

    static let byteCount = 10

    var features: Features
    var canvas: PixelSize
}

extension WebPExtendedHeader {
    /// Parses the chunk's `bytes`, at least 10.
    init(_ bytes: [UInt8]) {
        features = Features(rawValue: bytes[0])
        canvas = PixelSize(
            width: 1 + bytes.littleEndian(at: 4, byteCount: 3)!, height: 1 + bytes.littleEndian(at: 7, byteCount: 3)!)
    }

    /// The content of the chunk.
    var encoded: [UInt8] {
        [features.rawValue, 0, 0, 0] + (canvas.width - 1).littleEndianBytes(3)
            + (canvas.height - 1).littleEndianBytes(3)
    }
}

/// One image in a WebP file, a still or a frame: its place and the chunks of its pixels.
struct WebPFrame {
    /// The frame's region and duration. A still image covers the canvas.
    var animation: AnimationFrame
    /// The header of its VP8 or VP8L chunk; nil until that has arrived.
    var picture: WebPPictureHeader?
    /// Whether the frame has an alpha chunk.
    var hasAlphaChunk = false
    /// The length of its chunks in bytes, including headers; nil until the last one has begun.
    var byteCount: Int?
    /// The number of those bytes that have arrived.
    var arrivedByteCount = 0
    /// The bytes that have arrived and weren't taken yet.
    var bytes: [UInt8] = []
    /// Whether all bytes have arrived.
    var isComplete = false

    /// Whether any pixel may be transparent; nil while that is unknown.
    var hasAlpha: Bool? { hasAlphaChunk ? true : picture?.hasAlpha }

    /// The length of the fields of an ANMF chunk before the frame's own chunks.
    static let headerByteCount = 16

    /// Parses the fields at the start of an ANMF chunk (RFC 9649, 2.7.1.1).
    static func animation(_ bytes: [UInt8]) -> AnimationFrame {
        AnimationFrame(
            region: PixelRect(
                x: 2 * bytes.littleEndian(at: 0, byteCount: 3)!, y: 2 * bytes.littleEndian(at: 3, byteCount: 3)!,
                width: 1 + bytes.littleEndian(at: 6, byteCount: 3)!,
                height: 1 + bytes.littleEndian(at: 9, byteCount: 3)!),
            blending: bytes[15] & 2 == 0 ? .over : .source, disposal: bytes[15] & 1 == 0 ? .keep : .background,
            storedDuration: Double(bytes.littleEndian(at: 12, byteCount: 3)!) / 1000)
    }
}

/// The image header at the start of a VP8 or VP8L chunk.
struct WebPPictureHeader {
    var size: PixelSize
    var isLossless: Bool
    /// Whether a lossless image has alpha. The alpha of a lossy image is in a separate chunk.
    var hasAlpha: Bool

    /// Returns the number of bytes needed from the chunk.
    static func byteCount(_ type: WebPChunkType) -> Int { type == .lossless ? 5 : 10 }

    /// Parses `bytes`, of the length given by `byteCount(_:)`; nil if they aren't an image header.
    init?(_ type: WebPChunkType, _ bytes: [UInt8]) {
        if type == .lossless {
            // RFC 9649, 3.4: a signature, 14 bits for each side, 1 for alpha, 3 for the version, which is 0.
            let bits = bytes.littleEndian(at: 1, byteCount: 4)!
            guard bytes[0] == 0x2F, bits >> 29 == 0 else { return nil }
            size = PixelSize(width: 1 + bits & 0x3FFF, height: 1 + bits >> 14 & 0x3FFF)
            (isLossless, hasAlpha) = (true, bits >> 28 & 1 == 1)
        } else {
            // RFC 6386, 9.1: a key frame, its start code, 14 bits for each side and 2 for its display scale.
            guard bytes[0] & 1 == 0, Array(bytes[3..<6]) == [0x9D, 0x01, 0x2A] else { return nil }
            size = PixelSize(
                width: bytes.littleEndian(at: 6, byteCount: 2)! & 0x3FFF,
                height: bytes.littleEndian(at: 8, byteCount: 2)! & 0x3FFF)
            (isLossless, hasAlpha) = (false, false)
            guard !size.isEmpty else { return nil }
        }
    }
}
#endif
