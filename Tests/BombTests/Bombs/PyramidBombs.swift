/// Pyramids whose indexes and documents claim more than there is.
enum PyramidBombs {
    /// A packed pyramid's header with a right checksum (Documentation/packed-pyramid.md).
    private static func packed(
        _ width: Int, _ height: Int, tileSize: Int, overlap: Int = 0, levels: Int, tiles: Int, index: Int = 128,
        metadata: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x54, 0x50, 0x59, 0x0D, 0x0A, 0x1A, 0x0A]
        for number in [1, levels, width, height, tileSize, overlap, 0x2067_706A, 800_000, 0, 0] {
            bytes += Bytes.little(number)
        }
        for number in [tiles, tiles, index, 128, metadata] { bytes += Bytes.little(number, 8) }
        bytes += Bytes.zeros(124 - bytes.count)
        return bytes + Bytes.little(Bytes.checksum(bytes)) + Bytes.zeros(1000)
    }

    private static func zip(count: Int, byteCount: Int, offset: Int) -> [UInt8] {
        Array("PK\u{5}\u{6}\0\0\0\0".utf8) + Bytes.little(count, 2) + Bytes.little(count, 2) + Bytes.little(byteCount)
            + Bytes.little(offset) + [0, 0]
    }

    /// An archive of one stored file.
    private static func zip(_ name: String, _ content: String) -> [UInt8] {
        let (path, data) = (Array(name.utf8), Array(content.utf8))
        let local =
            Array("PK\u{3}\u{4}\n\0".utf8) + Bytes.zeros(8)
            + Bytes.little(Bytes.checksum(data)) + Bytes.little(data.count) + Bytes.little(data.count)
            + Bytes.little(path.count, 2) + [0, 0] + path + data
        let directory =
            Array("PK\u{1}\u{2}\n\0\n\0".utf8) + Bytes.zeros(8) + Bytes.little(Bytes.checksum(data))
            + Bytes.little(data.count) + Bytes.little(data.count) + Bytes.little(path.count, 2) + Bytes.zeros(12)
            + Bytes.little(0) + path
        return local + directory + zip(count: 1, byteCount: directory.count, offset: local.count)
    }

    static let all: [Bomb] = [
        Bomb(
            "packed pyramid, 2^32-1 on a side in tiles of a pixel", [Bomb.limit, Bomb.corrupt],
            by: ["pyramid", "tiles"]
        ) { packed(Int(UInt32.max), Int(UInt32.max), tileSize: 1, levels: 33, tiles: 1 << 40) },
        Bomb("packed pyramid, 2^32-1 tiles in a row", [Bomb.limit, Bomb.corrupt], by: ["pyramid", "tiles"]) {
            packed(Int(UInt32.max), 1, tileSize: 1, levels: 33, tiles: Int(UInt32.max))
        },
        Bomb("packed pyramid, an index longer than the file", [Bomb.corrupt], by: ["pyramid", "tiles"]) {
            packed(10_000, 10_000, tileSize: 10, levels: 11, tiles: 1_333_415)
        },
        Bomb("packed pyramid, metadata longer than the file", [Bomb.corrupt], by: ["pyramid", "tiles"]) {
            packed(10, 10, tileSize: 10, levels: 1, tiles: 1, metadata: 1 << 24)
        },
        Bomb(
            "archive, a directory of 4 GB", [Bomb.truncated, Bomb.corrupt, Bomb.limit, Bomb.unknown],
            by: ["pyramid"], filenameExtension: "zip"
        ) { Array("PK\u{3}\u{4}".utf8) + zip(count: 65_534, byteCount: Int(UInt32.max) - 1, offset: 0) },
        Bomb(
            "archive, 65534 files in a directory without any", [Bomb.corrupt, Bomb.unknown, Bomb.truncated],
            by: ["pyramid"], filenameExtension: "zip"
        ) { Array("PK\u{3}\u{4}".utf8) + zip(count: 65_534, byteCount: 0, offset: 4) },
        Bomb(
            "archive, a document of 10^18 pixels on a side",
            [Bomb.limit, Bomb.corrupt, Bomb.unsupported, Bomb.unknown],
            by: ["pyramid"], filenameExtension: "zip"
        ) {
            zip(
                "a/a.dzi",
                #"<?xml version="1.0"?><Image TileSize="1" Overlap="0" Format="png" xmlns="http://schemas.microsoft.com/deepzoom/2008"><Size Width="1000000000000000000" Height="1000000000000000000"/></Image>"#
            )
        },
        Bomb(
            "archive, a document of nested brackets", [Bomb.limit, Bomb.corrupt, Bomb.unsupported, Bomb.unknown],
            by: ["pyramid"], filenameExtension: "zip"
        ) { zip("a/info.json", String(repeating: "[", count: 1_000_000)) },
    ]
}
