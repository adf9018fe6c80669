import Raster
import TestSupport

/// QOI files put together chunk by chunk.
enum QOIFixture {
    static let marker: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    static func header(_ width: Int, _ height: Int, channels: UInt8 = 4, colorSpace: UInt8 = 0) -> [UInt8] {
        func big(_ value: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        return Array("qoif".utf8) + big(width) + big(height) + [channels, colorSpace]
    }

    /// A file of these chunks.
    static func file(
        _ width: Int, _ height: Int, channels: UInt8 = 4, colorSpace: UInt8 = 0, _ chunks: [UInt8]
    ) -> [UInt8] {
        header(width, height, channels: channels, colorSpace: colorSpace) + chunks + marker
    }

    private static let chunks: [[UInt8]] = [
        [0xC0],  // The pixel before the first, once.
        [0xFE, 10, 20, 30],  // RGB
        [0xC1],  // The same twice, into the next row.
        [0x79],  // +1, 0, -1
        [0xA8, 0x97],  // Green +8; red and blue one more and one less than that
        [0xFF, 1, 2, 3, 4],  // RGBA
        [9],  // (10, 20, 30, 255), by its place in the table: (10 * 3 + 20 * 5 + 30 * 7 + 255 * 11) % 64
        [0x40],  // -2, -2, -2
        [0x80, 0x00],  // Green -32, the others -40
        [0xC4],  // The same five times, into the last row
    ]

    /// Five rows of three pixels in chunks of every kind, and what they are.
    static let rows: (file: [UInt8], pixels: [RGBA8]) = (
        file(3, 5, chunks.flatMap(\.self)),
        [
            RGBA8(0, 0, 0), RGBA8(10, 20, 30), RGBA8(10, 20, 30),
            RGBA8(10, 20, 30), RGBA8(11, 20, 29), RGBA8(20, 28, 36),
            RGBA8(1, 2, 3, 4), RGBA8(10, 20, 30), RGBA8(8, 18, 28),
            RGBA8(224, 242, 244), RGBA8(224, 242, 244), RGBA8(224, 242, 244),
            RGBA8(224, 242, 244), RGBA8(224, 242, 244), RGBA8(224, 242, 244),
        ]
    )

    /// What an independent reader in Python, made from the description, gets out of a file: RGBA, or nothing.
    static func pythonPixels(_ file: [UInt8]) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture.qoi")
        return try CommandLineTool.python.output(["-c", reader, path])
    }

    private static let reader = """
        import struct, sys
        data = open(sys.argv[1], "rb").read()
        magic, width, height, channels, space = struct.unpack(">4sIIBB", data[:14])
        assert magic == b"qoif" and channels in (3, 4) and space in (0, 1) and data[-8:] == bytes(7) + b"\\1"
        seen, pixel, at, out = [(0, 0, 0, 0)] * 64, (0, 0, 0, 255), 14, []
        while at < len(data) - 8:
            tag, count = data[at], 1
            r, g, b, a = pixel
            if tag == 0xFE: pixel, at = (*data[at + 1:at + 4], a), at + 4
            elif tag == 0xFF: pixel, at = tuple(data[at + 1:at + 5]), at + 5
            elif tag < 0x40: pixel, at = seen[tag], at + 1
            elif tag < 0x80:
                d = [(tag >> shift & 3) - 2 for shift in (4, 2, 0)]
                pixel, at = tuple((v + e) % 256 for v, e in zip((r, g, b), d)) + (a,), at + 1
            elif tag < 0xC0:
                dg = (tag & 63) - 32
                d = (dg + (data[at + 1] >> 4) - 8, dg, dg + (data[at + 1] & 15) - 8)
                pixel, at = tuple((v + e) % 256 for v, e in zip((r, g, b), d)) + (a,), at + 2
            else: count, at = (tag & 63) + 1, at + 1
            r, g, b, a = pixel
            seen[(r * 3 + g * 5 + b * 7 + a * 11) % 64] = pixel
            out += [bytes(pixel if channels == 4 else (r, g, b, 255))] * count
        assert len(out) == width * height and at == len(data) - 8
        sys.stdout.buffer.write(b"".join(out))
        """
}
