#if WebP
internal import Raster

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

    init(features: Features, canvas: PixelSize) {
        self.features = features
        self.canvas = canvas
    }

    /// What the chunk's `bytes`, at least 10, say.
    init(_ bytes: [UInt8]) {
        features = Features(rawValue: bytes[0])
        canvas = PixelSize(
            width: 1 + bytes.number(at: 4, byteCount: 3), height: 1 + bytes.number(at: 7, byteCount: 3))
    }

    /// The chunk's bytes.
    var encoded: [UInt8] {
        [features.rawValue, 0, 0, 0] + (canvas.width - 1).littleEndianBytes(3)
            + (canvas.height - 1).littleEndianBytes(3)
    }
}

extension [UInt8] {
    /// The unsigned number of up to 4 bytes at `offset`, which must be there, the least significant byte first.
    func number(at offset: Int, byteCount: Int) -> Int {
        self[offset..<(offset + byteCount)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension Int {
    /// The least significant `count` bytes, the least first.
    func littleEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
#endif
