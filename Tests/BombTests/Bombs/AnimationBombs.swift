/// GIFs and WebPs: canvases nobody has filled, frames without number.
enum AnimationBombs {
    private static func gif(_ width: Int, _ height: Int, frames: Int, comment: Int = 0) -> [UInt8] {
        let image: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        let head = Array("GIF89a".utf8) + Bytes.little(width, 2) + Bytes.little(height, 2) + [0x80, 0, 0]
        var file: [UInt8] = head + [0, 0, 0, 255, 255, 255]
        if comment > 0 {
            file += [0x21, 0xFE]
            for _ in 0..<comment { file += [255] + Bytes.zeros(255) }
            file += [0]
        }
        for _ in 0..<frames { file += image }
        return file + [0x3B]
    }

    private static func webP(_ chunks: [(String, [UInt8])]) -> [UInt8] {
        let body = chunks.flatMap { name, data in
            Array(name.utf8) + Bytes.little(data.count) + data + Bytes.zeros(data.count % 2)
        }
        return Array("RIFF".utf8) + Bytes.little(4 + body.count) + Array("WEBP".utf8) + body
    }

    private static func extended(_ flags: UInt8, _ width: Int, _ height: Int) -> (String, [UInt8]) {
        ("VP8X", [flags, 0, 0, 0] + Bytes.little(width - 1, 3) + Bytes.little(height - 1, 3))
    }

    private static func lossless(_ width: Int, _ height: Int) -> [UInt8] {
        [0x2F] + Bytes.little((width - 1) | (height - 1) << 14) + Bytes.zeros(35)
    }

    private static func frame(_ width: Int, _ height: Int) -> (String, [UInt8]) {
        let picture = lossless(width, height)
        let data = Array("VP8L".utf8) + Bytes.little(picture.count) + picture + Bytes.zeros(picture.count % 2)
        return (
            "ANMF", Bytes.zeros(6) + Bytes.little(width - 1, 3) + Bytes.little(height - 1, 3) + [10, 0, 0, 0] + data
        )
    }

    static let all: [Bomb] = [
        Bomb("GIF, a canvas of 65535 on a side", [Bomb.limit], by: ["whole", "pieces", "rows", "frames"]) {
            gif(65_535, 65_535, frames: 1)
        },
        Bomb("GIF, a canvas of 900 megapixels around one pixel", [Bomb.limit], by: ["whole", "pieces", "frames"]) {
            gif(30_000, 30_000, frames: 3)
        },
        // The list of frames doubles when it grows, and the old one is still there while it is copied.
        Bomb("GIF, 70,000 frames", [Bomb.limit], by: ["frames"], byteLimit: 48 << 20) {
            gif(1, 1, frames: 70_000)
        },
        Bomb("GIF, a comment of 20 MB", [], by: ["whole", "pieces", "frames"], byteLimit: 48 << 20) {
            gif(1, 1, frames: 1, comment: 80_000)
        },
        Bomb("WebP, a canvas of 2^24 on a side", [Bomb.limit, Bomb.corrupt], by: ["whole", "pieces", "frames"]) {
            webP([extended(2, 1 << 24, 1 << 24), ("ANIM", Bytes.zeros(6)), frame(6, 4)])
        },
        Bomb("WebP, a canvas of 900 megapixels around one frame", [Bomb.limit], by: ["whole", "pieces", "frames"]) {
            webP([extended(2, 30_000, 30_000), ("ANIM", Bytes.zeros(6)), frame(6, 4)])
        },
        Bomb("WebP, 268 megapixels in 80 bytes", [Bomb.limit]) { webP([("VP8L", lossless(16_384, 16_384))]) },
        Bomb("WebP, a chunk that claims 4 GB", [Bomb.truncated, Bomb.corrupt], by: ["whole", "pieces"]) {
            var file = webP([extended(0x20, 8, 8), ("ICCP", Bytes.zeros(8)), ("VP8L", lossless(8, 8))])
            file.replaceSubrange(34..<38, with: Bytes.little(Int(UInt32.max) - 1))
            return file
        },
        Bomb("WebP, 70,000 frames", [Bomb.limit, Bomb.corrupt], by: ["frames"]) {
            webP([extended(2, 6, 4), ("ANIM", Bytes.zeros(6))] + (0..<70_000).map { _ in frame(6, 4) })
        },
    ]
}
