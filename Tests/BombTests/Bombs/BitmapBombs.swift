/// BMP, icons, X bitmaps, QOI, PNM, TGA, PSD, Radiance HDR and TIFF.
enum BitmapBombs {
    private static func bmp(_ width: Int, _ height: Int, bits: Int, compression: Int = 0, colors: Int = 0) -> [UInt8] {
        let header = Bytes.little(40) + Bytes.little(width) + Bytes.little(height) + [1, 0] + Bytes.little(bits, 2)
        return Array("BM".utf8) + Bytes.little(200) + Bytes.zeros(4) + Bytes.little(54 + 1024) + header
            + Bytes.little(compression) + Bytes.zeros(12) + Bytes.little(colors) + Bytes.zeros(4 + 1024) + [0, 1]
    }

    private static func icon(_ count: Int, entry: [UInt8], _ picture: [UInt8]) -> [UInt8] {
        [0, 0, 1, 0] + Bytes.little(count, 2) + (0..<count).flatMap { _ in entry } + picture
    }

    private static func entry(_ count: Int, at offset: Int) -> [UInt8] {
        [0, 0, 0, 0, 1, 0, 32, 0] + Bytes.little(count) + Bytes.little(offset)
    }

    private static func png(_ side: Int) -> [UInt8] {
        let body = Array("IHDR".utf8) + Bytes.big(side) + Bytes.big(side) + [8, 6, 0, 0, 0]
        return [137, 80, 78, 71, 13, 10, 26, 10] + Bytes.big(13) + body + Bytes.big(Bytes.checksum(body))
            + Bytes.zeros(40)
    }

    /// A header from the top on, and runs of 128 pixels.
    private static func tga(_ width: Int, _ height: Int) -> [UInt8] {
        [0, 0, 10] + Bytes.zeros(9) + Bytes.little(width, 2) + Bytes.little(height, 2) + [24, 0x20]
            + (0..<40).flatMap { _ in [0xFF, 1, 2, 3] as [UInt8] }
    }

    /// A directory of entries of tag, type, count and value, and where the next is.
    private static func tiff(_ entries: [(tag: Int, type: Int, count: Int, value: Int)], next: Int = 0) -> [UInt8] {
        let sorted = entries.sorted { $0.tag < $1.tag }
        return [0x49, 0x49, 42, 0, 8, 0, 0, 0] + Bytes.little(sorted.count, 2)
            + sorted.flatMap {
                Bytes.little($0.tag, 2) + Bytes.little($0.type, 2) + Bytes.little($0.count) + Bytes.little($0.value)
            } + Bytes.little(next) + Bytes.zeros(200)
    }

    private static func picture(
        _ width: Int, _ height: Int, compression: Int = 1, rows: Int? = nil, strips: Int = 1
    ) -> [(tag: Int, type: Int, count: Int, value: Int)] {
        [
            (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, compression), (262, 3, 1, 1),
            (273, 4, strips, 200), (277, 3, 1, 1), (278, 4, 1, rows ?? height), (279, 4, strips, 64),
        ]
    }

    /// A PSD of one colour, with runs that aren't there.
    private static func psd(_ width: Int, _ height: Int, channels: Int = 3, bits: Int = 8, compression: Int = 1)
        -> [UInt8]
    {
        Array("8BPS".utf8) + [0, 2] + Bytes.zeros(6) + Bytes.big(channels, 2) + Bytes.big(height) + Bytes.big(width)
            + Bytes.big(bits, 2) + [0, 3] + Bytes.zeros(16) + Bytes.big(compression, 2) + Bytes.zeros(200)
    }

    private static func hdr(_ resolution: String) -> [UInt8] {
        Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n\(resolution)\n".utf8) + Bytes.zeros(100)
    }

    static let all: [Bomb] = [
        Bomb("PSD, 300,000 pixels on a side", [Bomb.limit]) { psd(300_000, 300_000) },
        Bomb("PSD, 900 megapixels of runs in 240 bytes", [Bomb.limit, Bomb.truncated]) { psd(30_000, 30_000) },
        Bomb("PSD, 100 megapixels of floats", [Bomb.limit, Bomb.truncated]) {
            psd(10_000, 10_000, bits: 32, compression: 0)
        },
        Bomb("Radiance HDR, 2^31-1 on a side", [Bomb.limit]) { hdr("-Y 2147483647 +X 2147483647") },
        Bomb("Radiance HDR, 900 megapixels in 100 bytes", [Bomb.limit]) { hdr("-Y 30000 +X 30000") },
        Bomb("BMP, 2^31-1 on a side", [Bomb.limit]) { bmp(Int(Int32.max), Int(Int32.max), bits: 24) },
        Bomb("BMP, the least height there is", [Bomb.limit]) { bmp(8, Int(Int32.min), bits: 24) },
        Bomb("BMP, 900 megapixels of run lengths", [Bomb.limit]) { bmp(30_000, 30_000, bits: 8, compression: 1) },
        Bomb("BMP, 2^32-1 colours", [Bomb.corrupt, Bomb.truncated]) { bmp(8, 8, bits: 8, colors: Int(UInt32.max)) },
        Bomb("ICO, 65535 entries of one picture that is too large", [Bomb.limit], by: ["whole", "pieces"]) {
            let (offset, file) = (6 + 65_535 * 16, png(40_000))
            return icon(65_535, entry: entry(file.count, at: offset), file)
        },
        Bomb("ICO, an entry that claims 4 GB", [Bomb.truncated, Bomb.corrupt], by: ["whole", "pieces"]) {
            icon(1, entry: entry(Int(UInt32.max), at: 22), png(16))
        },
        Bomb("ICO, 65535 entries and no picture", [Bomb.truncated, Bomb.corrupt], by: ["whole", "pieces"]) {
            icon(65_535, entry: entry(1000, at: 6 + 65_535 * 16), [])
        },
        Bomb("XBM, 2^31-1 on a side", [Bomb.limit], by: ["whole", "pieces"]) {
            Array("#define a_width 2147483647\n#define a_height 2147483647\nstatic char a_bits[]={1,0};".utf8)
        },
        Bomb("XBM, 900 megapixels", [Bomb.limit], by: ["whole", "pieces"]) {
            Array("#define a_width 30000\n#define a_height 30000\nstatic char a_bits[]={1,0};".utf8)
        },
        Bomb("QOI, 2^32-1 on a side", [Bomb.limit], by: ["whole", "pieces"]) {
            Array("qoif".utf8) + [UInt8](repeating: 0xFF, count: 8) + [4, 0] + Bytes.zeros(8)
        },
        Bomb("QOI, 900 megapixels of runs", [Bomb.limit], by: ["whole", "pieces"]) {
            Array("qoif".utf8) + Bytes.big(30_000) + Bytes.big(30_000) + [4, 0] + [UInt8](repeating: 0xFD, count: 4000)
        },
        Bomb("PNM, 2^63 on a side", [Bomb.limit]) { Array("P6 9223372036854775808 9223372036854775808 255\n".utf8) },
        Bomb("PNM, 900 megapixels", [Bomb.limit]) { Array("P4 30000 30000\n".utf8) + Bytes.zeros(100) },
        Bomb("PNM, 900 megapixels of text", [Bomb.limit]) { Array("P3 30000 30000 65535\n1 2 3 4 5 6".utf8) },
        Bomb("PNM, a row of 100,000 pixels that isn't there", [Bomb.truncated]) {
            Array("P7\nWIDTH 100000\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nENDHDR\n".utf8) + Bytes.zeros(100)
        },
        Bomb("PNM, a header of 20 MB", [Bomb.limit]) {
            Array("P5 #".utf8) + [UInt8](repeating: 0x61, count: 20 << 20)
        },
        Bomb("TGA, 65535 on a side", [Bomb.limit]) { tga(65_535, 65_535) },
        Bomb("TGA, 900 megapixels of runs", [Bomb.limit]) { tga(30_000, 30_000) },
        Bomb("TGA, 4 megapixels of which a few rows are there", [Bomb.truncated]) { tga(2000, 2000) },
        Bomb("TGA, 65535 colours that aren't there", [Bomb.truncated]) {
            [255, 1, 9, 0, 0, 255, 255, 32] + Bytes.zeros(4) + Bytes.little(8, 2) + Bytes.little(8, 2) + [8, 8]
        },
        Bomb("TIFF, 2^32-1 on a side", [Bomb.limit, Bomb.corrupt], by: ["whole", "pieces", "tiles"]) {
            tiff(picture(Int(UInt32.max), Int(UInt32.max)))
        },
        Bomb("TIFF, 900 megapixels in LZW", [Bomb.limit], by: ["whole", "pieces", "tiles"]) {
            tiff(picture(30_000, 30_000, compression: 5))
        },
        Bomb("TIFF, 900 megapixels in fax codes", [Bomb.limit], by: ["whole", "pieces"]) {
            tiff(picture(30_000, 30_000, compression: 4).map { $0.tag == 258 ? (258, 3, 1, 1) : $0 })
        },
        // A million strips there may be. libtiff keeps a place and a length for each, wherever they come from.
        Bomb("TIFF, a billion strips for a million rows", [], by: ["whole", "pieces"], byteLimit: 112 << 20) {
            tiff(picture(1, 1_000_000, rows: 1, strips: 1_000_000_000))
        },
        Bomb(
            "TIFF, a directory that follows itself", [Bomb.corrupt, Bomb.limit, Bomb.truncated],
            by: ["whole", "pieces"]
        ) { tiff(picture(40_000, 40_000, compression: 5), next: 8) },
        Bomb("TIFF, a small picture whose directory follows itself", [], by: ["whole"]) {
            tiff(picture(8, 8), next: 8)
        },
        Bomb("TIFF, directories within themselves", [], by: ["whole"]) {
            tiff(picture(8, 8) + [(330, 4, 1, 8), (34_665, 4, 1, 8)])
        },
        Bomb("TIFF, a profile of 4 GB", [], by: ["whole"]) {
            tiff(picture(8, 8) + [(34_675, 7, Int(UInt32.max), 200)])
        },
        Bomb(
            "TIFF, a side of a tile of 2^31", [Bomb.limit, Bomb.corrupt, Bomb.unsupported, Bomb.truncated],
            by: ["whole", "tiles"]
        ) {
            tiff([
                (256, 4, 1, 8), (257, 4, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (277, 3, 1, 1),
                (322, 4, 1, 1 << 31), (323, 4, 1, 1 << 31), (324, 4, 1, 200), (325, 4, 1, 64),
            ])
        },
        Bomb(
            "TIFF, 65535 samples of 64 bits a pixel", [Bomb.limit, Bomb.corrupt, Bomb.unsupported, Bomb.truncated],
            by: ["whole"]
        ) {
            tiff(
                picture(20_000, 2000).map {
                    $0.tag == 277 ? (277, 3, 1, 65_535) : $0.tag == 258 ? (258, 3, 65_535, 200) : $0
                })
        },
    ]
}
