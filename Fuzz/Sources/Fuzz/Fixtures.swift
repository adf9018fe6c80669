/// Small files, put together here, for fuzzing to start from.
enum Fixtures {
    /// A grey baseline JPEG of 8 × 8 pixels: one block whose only code says "no difference, end of block".
    static let jpeg: [UInt8] = {
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        file += segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
        file += segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
        // One code of one bit each: DC category 0, AC end of block.
        file += segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
        file += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        file += segment(0xDA, [1, 1, 0x00, 0, 63, 0])
        return file + [0x3F, 0xFF, 0xD9]
    }()

    /// A lossless grey JPEG of 4 × 4 pixels of 12 bits, all in the middle of the range.
    static let losslessJPEG: [UInt8] = {
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xC3, [12, 0, 4, 0, 4, 1, 1, 0x11, 0])
        // A code of one bit for no difference, and one each of two bits and of three for longer ones.
        file += segment(0xC4, [0x00, 1, 1, 1] + [UInt8](repeating: 0, count: 13) + [0, 4, 16])
        file += segment(0xDA, [1, 1, 0x00, 7, 0, 0])
        return file + [0, 0, 0xFF, 0xD9]
    }()

    /// A `mini` box with every part that there can be, of four bytes each: mask, gain map, profiles, EXIF and XMP; coded as AV1.
    static let minimizedImage: [UInt8] = {
        let fields: [UInt8] = [
            15, 248, 15, 30, 0, 134, 128, 67, 135, 0, 229, 0, 31, 64, 8, 0, 0, 3, 0, 192, 64, 0, 146, 0, 3, 0, 9, 0, 24,
            6,
        ]
        let configurations = [[UInt8]](repeating: [0x81, 0, 0x0C, 0], count: 3)
        let box = fields + configurations.joined() + [UInt8](repeating: 1, count: 8 * 4)
        return [0, 0, 0, 16] + Array("ftypmif3avif".utf8) + bigEndian(UInt32(box.count + 8)) + Array("mini".utf8) + box
    }()

    /// A grey PNG of 8 × 8 pixels, its rows in a stored deflate block.
    static let png: [UInt8] = {
        let rows = [UInt8](repeating: 0, count: 8 * 9)
        var stream: [UInt8] = [0x78, 0x01, 1, UInt8(rows.count), 0, ~UInt8(rows.count), 0xFF]
        // Adler-32 of zeros: the low half stays 1, the high half counts the bytes.
        stream += rows + [0, UInt8(rows.count), 0, 1]
        return png(width: 8, height: 8, stream: stream, pieceCount: 1)
    }()

    /// A grey PNG of eight bits around a zlib stream, cut into `pieceCount` IDAT chunks.
    static func png(width: Int, height: Int, stream: [UInt8], pieceCount: Int) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 0, 0, 0, 0])
        for piece in 0..<pieceCount {
            file += chunk(
                "IDAT", Array(stream[(stream.count * piece / pieceCount)..<(stream.count * (piece + 1) / pieceCount)]))
        }
        return file + chunk("IEND", [])
    }

    /// The JPEG with the PNG as its mask.
    static let jpng = join(jpeg, png, version: 1)

    /// The JPEG as colour and as mask.
    static let jpngWithJPEGMask = join(jpeg, jpeg, version: 2)

    private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(crc(body))
    }

    private static func join(_ color: [UInt8], _ mask: [UInt8], version: UInt8) -> [UInt8] {
        color + mask + bigEndian(UInt32(color.count)).reversed() + bigEndian(UInt32(mask.count)).reversed()
            + [16, 0, version, 0] + Array("GNPJ".utf8)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    /// CRC-32 as PNG has it, bit by bit.
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
