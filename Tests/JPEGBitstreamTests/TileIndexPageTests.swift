import Testing

import JPEGBitstream
import TestSupport

@Suite("Pages of an index", .needs(TilePictures.cjpeg))
struct TileIndexPageTests {
    static let kinds = [
        TilePictures.Kind(130, 67, "-sample 2x2 -restart 3B"), TilePictures.Kind(100, 75, "-grayscale -optimize"),
        TilePictures.Kind(90, 90, "-rgb"), TilePictures.Kind(1, 1, "-sample 2x1"),
        TilePictures.Kind(200, 100, "-sample 1x1 -quality 2"), TilePictures.Kind(300, 120, "-sample 2x2 -quality 98"),
    ]

    /// The index of a file, and one that is restored from its header, without pages.
    private static func indexes(_ file: [UInt8]) throws -> (made: JPEGTileIndex, restored: JPEGTileIndex) {
        let made = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
        let layout = try JPEGTileLayout(
            header: made.layout.header.span.bytes, mcusPerColumn: made.layout.mcusPerColumn,
            dataOffset: made.layout.dataOffset)
        #expect(layout == made.layout)
        return (made, JPEGTileIndex(restoring: layout, rowCount: made.rowCount))
    }

    @Test("Tiles cut by restored pages are those of the index", arguments: kinds)
    func restored(kind: TilePictures.Kind) throws {
        let file = try kind.file()
        var (made, restored) = try Self.indexes(file)
        let assembler = JPEGTileAssembler(made.layout)
        for first in stride(from: 0, to: made.rowCount, by: 2) {
            let rows = first..<min(first + 2, made.rowCount)
            let window = JPEGTileWindow(columns: 0..<made.layout.columnCount, rows: rows)
            #expect(restored.byteRange(of: window) == nil)
            let page = made.page(rows)
            try restored.restore(page.span.bytes, rows: rows, byteCount: UInt64(file.count))
            #expect(restored.page(rows) == page)
            #expect(restored.byteRange(of: window) == made.byteRange(of: window))
            var (expected, tile): ([UInt8], [UInt8]) = ([], [])
            try assembler.append(window, of: made, from: file.span.bytes, to: &expected)
            try assembler.append(window, of: restored, from: file.span.bytes, to: &tile)
            #expect(tile == expected)
        }
        #expect(restored.hasEntries(of: made))
    }

    @Test("A window whose rows aren't all restored is refused")
    func missing() throws {
        let file = try Self.kinds[5].file()
        var (made, restored) = try Self.indexes(file)
        for row in [0, 2] {
            try restored.restore(
                made.page(row..<row + 1).span.bytes, rows: row..<row + 1, byteCount: UInt64(file.count))
        }
        var tile: [UInt8] = [7]
        let error = #expect(throws: JPEGBitstreamError.self) {
            let window = JPEGTileWindow(columns: 0..<1, rows: 0..<3)
            try JPEGTileAssembler(made.layout).append(window, of: restored, from: file.span.bytes, to: &tile)
        }
        #expect(error?.code == .invalidEntropyData)
        #expect(tile == [7])
    }

    @Test("Truncated and lengthened pages, and those of other rows, are refused and change nothing")
    func damaged() throws {
        let file = try Self.kinds[5].file()
        var (made, restored) = try Self.indexes(file)
        let before = restored
        let page = made.page(0..<2)
        var pages = (0..<page.count).map { Array(page[..<$0]) }
        pages += [page + [0], made.page(0..<3), [UInt8](repeating: 0xFF, count: 400)]
        for bytes in pages {
            let error = #expect(throws: JPEGBitstreamError.self) {
                try restored.restore(bytes.span.bytes, rows: 0..<2, byteCount: UInt64(file.count))
            }
            #expect(error?.code == .invalidIndex)
        }
        #expect(throws: JPEGBitstreamError.self) {
            try restored.restore(page.span.bytes, rows: 100..<102, byteCount: UInt64(file.count))
        }
        #expect(throws: JPEGBitstreamError.self, "positions beyond the file") {
            try restored.restore(page.span.bytes, rows: 0..<2, byteCount: UInt64(made.layout.dataOffset))
        }
        #expect(restored.hasEntries(of: before))
    }

    @Test("Changed bytes give an error or a JPEG, never a crash")
    func changed() throws {
        let file = try Self.kinds[0].file()
        let (made, empty) = try Self.indexes(file)
        let rows = 0..<made.rowCount
        let page = made.page(rows)
        var random = SeededGenerator(state: 26)
        var (refused, cut) = (0, 0)
        for _ in 0..<2000 {
            var bytes = page
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            var index = empty
            do {
                try index.restore(bytes.span.bytes, rows: rows, byteCount: UInt64(file.count))
                var tile: [UInt8] = []
                let window = JPEGTileWindow(columns: 0..<made.layout.columnCount, rows: rows)
                try JPEGTileAssembler(made.layout).append(window, of: index, from: file.span.bytes, to: &tile)
                #expect(try JPEGTileIndex(of: tile.span.bytes).isComplete)
                cut += 1
            } catch is JPEGBitstreamError {
                refused += 1
            }
        }
        #expect(refused > 100 && cut > 0)
    }
}
