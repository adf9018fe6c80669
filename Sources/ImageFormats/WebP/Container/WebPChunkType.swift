#if WebP
internal import Raster

/// What a chunk of a WebP file holds (RFC 9649, section 2), by its four characters.
enum WebPChunkType: String {
    /// What an extended file has, and its canvas.
    case extended = "VP8X"
    /// An ICC profile.
    case profile = "ICCP"
    /// How often an animation is played.
    case animation = "ANIM"
    /// A frame of an animation, around chunks of its own.
    case frame = "ANMF"
    /// The alpha of a lossy picture.
    case alpha = "ALPH"
    /// A lossy picture.
    case lossy = "VP8 "
    /// A lossless picture.
    case lossless = "VP8L"
    /// An EXIF block.
    case exif = "EXIF"
    /// An XMP packet.
    case xmp = "XMP "

    /// The type that a chunk's header of eight bytes gives; nil for one that nobody here knows.
    init?(header: [UInt8]) { self.init(rawValue: String(decoding: header[0..<4], as: UTF8.self)) }
}

extension WebPChunkReader {
    /// Adds to `header` what came behind the pixels.
    func update(_ header: inout ImageHeader) {
        header.metadata.exif = header.metadata.exif ?? exif
        header.metadata.xmp = header.metadata.xmp ?? xmp
        header.sequence?.count = knownFrameCount
    }

    /// What the chunks so far say of a picture, or an animation, of `canvas`.
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

/// The VP8X chunk: what an extended WebP file has, and the size of its canvas (RFC 9649, section 2.7).
struct WebPExtendedHeader {
    /// What the file says that it holds.
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
    /// What the chunk's `bytes`, at least 10, say.
    init(_ bytes: [UInt8]) {
        features = Features(rawValue: bytes[0])
        canvas = PixelSize(
            width: 1 + bytes.littleEndian(at: 4, byteCount: 3)!, height: 1 + bytes.littleEndian(at: 7, byteCount: 3)!)
    }

    /// The chunk's bytes.
    var encoded: [UInt8] {
        [features.rawValue, 0, 0, 0] + (canvas.width - 1).littleEndianBytes(3)
            + (canvas.height - 1).littleEndianBytes(3)
    }
}

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

    /// Whether any pixel may be less than opaque; nil while that isn't known.
    var hasAlpha: Bool? { hasAlphaChunk ? true : picture?.hasAlpha }

    /// Bytes of an ANMF chunk before the frame's own chunks.
    static let headerByteCount = 16

    /// What the first bytes of an ANMF chunk say (RFC 9649, 2.7.1.1).
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
            let bits = bytes.littleEndian(at: 1, byteCount: 4)!
            guard bytes[0] == 0x2F, bits >> 29 == 0 else { return nil }
            size = PixelSize(width: 1 + bits & 0x3FFF, height: 1 + bits >> 14 & 0x3FFF)
            (isLossless, hasAlpha) = (true, bits >> 28 & 1 == 1)
        } else {
            // RFC 6386, 9.1: a key frame, its start code, 14 bits each for the sides and 2 for a scale to show it at.
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
