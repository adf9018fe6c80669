import ImagePyramid
import Raster
import Testing

@Suite("A pyramid's geometry")
struct PyramidGeometryTests {
    @Test(
        "Levels are halves rounded up, down to one tile",
        arguments: [
            (PixelSize(width: 1000, height: 700), 256, ["1000x700", "500x350", "250x175"]),
            (PixelSize(width: 1025, height: 3), 512, ["1025x3", "513x2", "257x1"]),
            (PixelSize(width: 256, height: 256), 256, ["256x256"]),
            (PixelSize(width: 1, height: 1), 1, ["1x1"]),
        ] as [(PixelSize, Int, [String])])
    func levels(size: PixelSize, tileSize: Int, expected: [String]) throws {
        let geometry = try PyramidGeometry(size: size, tileSize: tileSize)
        #expect(geometry.levels.map(\.description) == expected)
    }

    @Test("Deep Zoom's last level is one pixel, and a depth of one has no other level")
    func depths() throws {
        let size = PixelSize(width: 300, height: 5)
        let deep = try PyramidGeometry(size: size, depth: .onePixel)
        #expect(deep.levels.count == 10)
        #expect(deep.levels.last == PixelSize(width: 1, height: 1))
        #expect(try PyramidGeometry(size: size, tileSize: 16, depth: .one).levels == [size])
    }

    @Test(
        "A level's tiles cover every pixel, and overlap by twice the overlap", arguments: [0, 1, 3], [1, 7, 64])
    func cover(overlap: Int, tileSize: Int) throws {
        guard overlap <= tileSize else { return }
        let geometry = try PyramidGeometry(
            size: PixelSize(width: 129, height: 40), tileSize: tileSize, overlap: overlap)
        var count = 0
        for (level, size) in geometry.levels.enumerated() {
            for row in 0..<geometry.rowCount(level) {
                for column in 0..<geometry.columnCount(level) {
                    let address = TileAddress(level: level, column: column, row: row)
                    let rect = geometry.rect(of: address)
                    #expect(rect.lies(within: size))
                    #expect(rect.x == max(0, column * tileSize - overlap))
                    let isLast = column == geometry.columnCount(level) - 1
                    #expect(
                        rect.x + rect.width
                            == (isLast ? size.width : min(size.width, (column + 1) * tileSize + overlap)))
                    count += 1
                }
            }
            #expect(!geometry.contains(TileAddress(level: level, column: geometry.columnCount(level), row: 0)))
        }
        #expect(count == geometry.tileCount)
        #expect(!geometry.contains(TileAddress(level: geometry.levels.count, column: 0, row: 0)))
        #expect(!geometry.contains(TileAddress(level: 0, column: -1, row: 0)))
    }

    @Test(
        "Invalid arguments are refused",
        arguments: [
            (PixelSize(width: 0, height: 4), 256, 0), (PixelSize(width: 4, height: 4), 0, 0),
            (PixelSize(width: 4, height: 4), 8193, 0), (PixelSize(width: 4, height: 4), 2, 3),
            (PixelSize(width: 4, height: 4), 2, -1),
        ] as [(PixelSize, Int, Int)])
    func refusals(size: PixelSize, tileSize: Int, overlap: Int) {
        let error = #expect(throws: ImageError.self) {
            try PyramidGeometry(size: size, tileSize: tileSize, overlap: overlap)
        }
        #expect(error?.code == .invalidParameter)
    }
}
