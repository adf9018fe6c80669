import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

import ImagePyramid

/// Pictures of which no more than some rows ever exist.
@Suite("Pyramids larger than memory") struct LargePyramidTests {
    /// Rows that are made as they are read: each square of 1024 pixels has a colour of its own.
    final class VirtualRows: RowSource {
        let info: BitmapInfo
        private var next = 0

        init(_ size: PixelSize) { info = BitmapInfo(size: size, format: .rgba8) }

        static func color(_ column: Int, _ row: Int) -> RGBA8 {
            RGBA8(UInt8(column * 7 % 256), UInt8(row * 5 % 256), UInt8((column + row) * 3 % 256))
        }

        func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
            let count = min(rows.count, info.size.height - next)
            for y in 0..<count {
                let square = (next + y) / 1024
                var row = rows.row(y, as: RGBA8.self)
                var x = 0
                while x < row.count {
                    let (color, end) = (Self.color(x / 1024, square), min(row.count, (x / 1024 + 1) * 1024))
                    while x < end {
                        row[x] = color
                        x += 1
                    }
                }
            }
            next += count
            return count
        }
    }

    /// The most memory that the process has had, in bytes.
    static func peak() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
    }

    static func build(_ size: PixelSize) throws {
        let geometry = try PyramidGeometry(size: size)
        let tiles = MemoryTiles(geometry) { address in
            (address.column == 0 || address.column == geometry.columnCount(address.level) - 1)
                && (address.row == 0 || address.row == geometry.rowCount(address.level) - 1)
        }
        try PyramidBuilder().build(PyramidSource(VirtualRows(size)), into: tiles)
        #expect(tiles.isFinished && tiles.written.count == geometry.tileCount)
        // Up to level 2 a tile lies in one square of 1024 pixels.
        for level in 0...2 {
            for row in [0, geometry.rowCount(level) - 1] {
                for column in [0, geometry.columnCount(level) - 1] {
                    let address = TileAddress(level: level, column: column, row: row)
                    let tile = try tiles.bitmap(address)
                    let rect = geometry.rect(of: address)
                    #expect(tile.size == rect.size)
                    let color = VirtualRows.color((rect.x << level) / 1024, (rect.y << level) / 1024)
                    for pixel in tile.pixels {
                        let largest =
                            [
                                Int(pixel.red) - Int(color.red), Int(pixel.green) - Int(color.green),
                                Int(pixel.blue) - Int(color.blue),
                            ].map(abs).max() ?? 0
                        guard largest > 3 else { continue }
                        Issue.record("\(pixel) instead of \(color) in \(address)")
                        return
                    }
                }
            }
        }
    }

    @Test("An image that exists only as rows has the right corners") func virtualPicture() throws {
        try Self.build(PixelSize(width: 9000, height: 6001))
    }

    @Test(
        "Ten gigapixels take little memory",
        .enabled(if: ProcessInfo.processInfo.environment["TESSERA_LARGE"] != nil, "TESSERA_LARGE is not set"))
    func tenGigapixels() throws {
        let before = Self.peak()
        try Self.build(PixelSize(width: 120_000, height: 84_000))
        let grown = Self.peak() - before
        // The builder's limit for rows of tiles, of which one takes 123 MB, and what else there is.
        #expect(grown < (1 << 30) + 100_000_000, "\(grown) bytes")
    }
}
