/// PNGs: sizes that aren't there, chunks that say they are long, and text that unpacks to a great deal more than it is.
enum PNGBombs {
    private static func chunk(_ type: String, _ data: [UInt8], claiming count: Int? = nil) -> [UInt8] {
        let body = Array(type.utf8) + data
        return Bytes.big(count ?? data.count) + body + Bytes.big(Bytes.checksum(body))
    }

    private static func file(
        _ width: Int, _ height: Int, depth: UInt8 = 8, color: UInt8 = 0, before: [UInt8] = [], rows: [UInt8]? = nil
    ) -> [UInt8] {
        let header = Bytes.big(width) + Bytes.big(height) + [depth, color, 0, 0, 0]
        return [137, 80, 78, 71, 13, 10, 26, 10] + chunk("IHDR", header) + before
            + chunk("IDAT", rows ?? Bytes.packedZeros((width + 1) * height)) + chunk("IEND", [])
    }

    private static let small = 4

    static let all: [Bomb] = [
        Bomb("PNG, 2^31-1 on a side", [Bomb.limit]) { file(Int(Int32.max), Int(Int32.max), rows: []) },
        Bomb("PNG, a side beyond the limit", [Bomb.limit]) { file(1 << 21, 1, rows: []) },
        Bomb("PNG, pixels beyond the limit", [Bomb.limit]) { file(40_000, 40_000, rows: []) },
        Bomb("PNG, 900 megapixels of 16 bits in 100 bytes", [Bomb.limit]) {
            file(30_000, 30_000, depth: 16, color: 6, rows: Bytes.packedZeros(100))
        },
        Bomb("PNG, 100 megapixels that are there, by rows", [], by: ["rows"]) { file(10_000, 10_000) },
        Bomb("PNG, a profile that unpacks to 64 MB", []) {
            file(small, small, before: chunk("iCCP", Array("a\0\0".utf8) + Bytes.packedZeros(64 << 20)))
        },
        Bomb("PNG, a packed text of 64 MB", []) {
            file(small, small, before: chunk("zTXt", Array("Comment\0\0".utf8) + Bytes.packedZeros(64 << 20)))
        },
        Bomb("PNG, a packed EXIF block of 64 MB", [], by: ["whole", "metadata"]) {
            file(
                small, small,
                before: chunk("zTXt", Array("Raw profile type exif\0\0".utf8) + Bytes.packedZeros(64 << 20)))
        },
        Bomb("PNG, a packed XMP packet of 64 MB", [], by: ["whole", "metadata"]) {
            let head = Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8)
            return file(small, small, before: chunk("iTXt", head + Bytes.packedZeros(64 << 20)))
        },
        Bomb("PNG, a hundred packed profiles of 16 MB", [], byteLimit: 48 << 20) {
            let packed = chunk("iCCP", Array("a\0\0".utf8) + Bytes.packedZeros(16 << 20))
            return file(small, small, before: (0..<100).flatMap { _ in packed })
        },
        Bomb("PNG, a chunk that claims 2^31-1 bytes", [Bomb.truncated]) {
            file(small, small, before: chunk("eXIf", Bytes.zeros(50), claiming: Int(Int32.max)))
        },
        Bomb("PNG, a chunk that claims 2^32-1 bytes", [Bomb.corrupt, Bomb.truncated]) {
            file(small, small, before: chunk("iTXt", Bytes.zeros(50), claiming: Int(UInt32.max)))
        },
        Bomb("PNG, ten thousand chunks of text", []) {
            let text = chunk("tEXt", Array("a\0b".utf8))
            return file(small, small, before: (0..<10_000).flatMap { _ in text })
        },
        Bomb("APNG, 2^31-1 frames", [Bomb.limit], by: ["frames"]) {
            let control = Bytes.big(Int(Int32.max)) + Bytes.big(0)
            return file(small, small, before: chunk("acTL", control) + frame(0, small, small))
        },
        Bomb("APNG, a frame larger than the picture", [Bomb.corrupt], by: ["frames"]) {
            let control = Bytes.big(2) + Bytes.big(0)
            return file(
                small, small, before: chunk("acTL", control) + frame(0, Int(Int32.max), Int(Int32.max)))
        },
        Bomb("APNG, a canvas of 900 megapixels", [Bomb.limit], by: ["frames"]) {
            let control = Bytes.big(2) + Bytes.big(0)
            return file(
                30_000, 30_000, before: chunk("acTL", control) + frame(0, 30_000, 30_000), rows: Bytes.packedZeros(100))
        },
    ]

    private static func frame(_ number: Int, _ width: Int, _ height: Int) -> [UInt8] {
        chunk(
            "fcTL", Bytes.big(number) + Bytes.big(width) + Bytes.big(height) + Bytes.zeros(8) + [0, 1, 0, 10, 0, 0])
    }
}
