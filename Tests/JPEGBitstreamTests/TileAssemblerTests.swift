import Testing

import JPEGBitstream
import TestSupport

@Suite("Lossless tiles of JPEGs", .needs(TilePictures.cjpeg, TilePictures.djpeg, TilePictures.shell))
struct TileAssemblerTests {
    /// All windows of some columns and rows, and some that span several.
    static func windows(of layout: JPEGTileLayout, rows: Int) -> [JPEGTileWindow] {
        var windows: [JPEGTileWindow] = []
        for row in stride(from: 0, to: layout.mcusDown, by: rows) {
            for column in 0..<layout.columnCount {
                windows.append(
                    JPEGTileWindow(columns: column..<column + 1, rows: row..<min(row + rows, layout.mcusDown)))
            }
        }
        let (right, bottom) = (layout.columnCount, layout.mcusDown)
        windows.append(JPEGTileWindow(columns: 0..<right, rows: 0..<bottom))
        windows.append(JPEGTileWindow(columns: right / 2..<right, rows: bottom / 2..<bottom))
        if right > 2 { windows.append(JPEGTileWindow(columns: 1..<right - 1, rows: bottom - 1..<bottom)) }
        return windows
    }

    static func tile(
        _ window: JPEGTileWindow, of index: JPEGTileIndex, _ file: [UInt8], segments: [UInt8] = []
    ) throws -> [UInt8] {
        var tile: [UInt8] = []
        try JPEGTileAssembler(index.layout, inserting: segments)
            .append(window, of: index, from: file.span.bytes, to: &tile)
        return tile
    }

    /// Compares windows with what they are of the whole; says whether djpeg takes the whole.
    @discardableResult
    static func compare(
        _ file: [UInt8], _ index: JPEGTileIndex, _ windows: [JPEGTileWindow],
        location: SourceLocation = #_sourceLocation
    ) throws -> Bool {
        let assembler = JPEGTileAssembler(index.layout)
        let tiles = try windows.map { window in
            var tile: [UInt8] = []
            try assembler.append(window, of: index, from: file.span.bytes, to: &tile)
            return tile
        }
        let decoded = try TilePictures.decode([file] + tiles)
        guard let whole = decoded[0] else { return false }
        for (window, pixels) in zip(windows, decoded.dropFirst()) {
            let expected = whole.crop(x: index.layout.x(of: window), y: index.layout.y(of: window))
            #expect(pixels == expected, "\(window) of columns of \(index.layout.columnWidth)", sourceLocation: location)
        }
        return true
    }

    @Test("Every tile has its source's pixels", arguments: TilePictures.kinds)
    func pixels(kind: TilePictures.Kind) throws {
        let file = try kind.file()
        for (columnWidth, rows) in [(1, 3), (32, 1), (64, 2)] {
            let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: columnWidth)
            #expect(index.isComplete && index.failure == nil)
            let isTaken = try Self.compare(file, index, Self.windows(of: index.layout, rows: rows))
            #expect(isTaken)
        }
    }

    @Test("A tile has its source's tables, or its own where they lack a code")
    func missingCodes() throws {
        let complete: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0] + Array(0...15)
        for (arguments, isAlways) in [("-quality 50 -optimize", true), ("-quality 50", false)] {
            let file = try TilePictures.Kind(300, 300, arguments).file()
            let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
            let tiles = try Self.windows(of: index.layout, rows: 2).map { try Self.tile($0, of: index, file) }
            let replaced = tiles.filter { tile in
                tile.indices.contains { tile[$0...].starts(with: complete) }
            }
            #expect(replaced.isEmpty != isAlways)
            #expect(replaced.count < tiles.count)
        }
    }

    @Test(
        "Real files give tiles with their source's pixels", .needsCorpus,
        arguments: Corpus.files("valid/jpeg", "photos").filter { $0.hasSuffix("g") })
    func corpus(path: String) throws {
        let file = try Corpus.bytes(path)
        guard JPEGTileLayout.obstacle(header: file.span.bytes) == nil else { return }
        let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: file.count > 1 << 20 ? 256 : 48)
        #expect(index.isComplete)
        var random = SeededGenerator(state: UInt64(file.count))
        let windows = Self.windows(of: index.layout, rows: 3).shuffled(using: &random).prefix(12)
        try Self.compare(file, index, Array(windows.filter { index.layout.x(of: $0).count < 1000 }))
    }

    @Test("The bytes of a window's range suffice, and fewer are refused")
    func ranges() throws {
        let file = try TilePictures.Kind(200, 100, "-restart 3B").file()
        let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
        let assembler = JPEGTileAssembler(index.layout)
        for window in Self.windows(of: index.layout, rows: 2) {
            let range = try #require(index.byteRange(of: window))
            var tile: [UInt8] = [1, 2, 3]
            try assembler.append(
                window, of: index, from: Array(file[range]).span.bytes, startingAt: range.lowerBound, to: &tile)
            #expect(try tile == [1, 2, 3] + Self.tile(window, of: index, file))
            for (start, end) in [(1, 0), (0, 1)] {
                let part = Array(file[range.lowerBound + start..<range.upperBound - end])
                var rest: [UInt8] = [7]
                let error = #expect(throws: JPEGBitstreamError.self) {
                    try assembler.append(
                        window, of: index, from: part.span.bytes, startingAt: range.lowerBound + start, to: &rest)
                }
                #expect(error?.code == .truncated && rest == [7])
            }
        }
    }

    @Test("Rows can be passed contiguously, wherever they are in the file")
    func packedRows() throws {
        // With many rows that begin in the byte where another ends, what is put together is longer than the file was.
        for (kind, columnWidth) in [
            (TilePictures.Kind(200, 100, "-restart 3B"), 32),
            (TilePictures.Kind(16, 4000, "-grayscale -quality 1"), 256),
        ]
            as [(TilePictures.Kind, Int)]
        {
            let file = try kind.file()
            let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: columnWidth)
            let assembler = JPEGTileAssembler(index.layout)
            for window in Self.windows(of: index.layout, rows: kind.height > 1000 ? 500 : 3) {
                var (packed, offsets): ([UInt8], [Int]) = ([], [])
                for row in window.rows {
                    let range = try #require(
                        index.byteRange(of: JPEGTileWindow(columns: window.columns, rows: row..<row + 1)))
                    offsets.append(range.lowerBound - packed.count)
                    packed += file[range]
                }
                var tile: [UInt8] = []
                try assembler.append(window, of: index, from: packed.span.bytes, rowOffsets: offsets, to: &tile)
                #expect(try tile == Self.tile(window, of: index, file))
                for wrong in [Array(offsets.dropLast()), offsets.map { $0 + 1 << 40 }, offsets.map { _ in Int.min }] {
                    #expect(throws: JPEGBitstreamError.self) {
                        var rest: [UInt8] = []
                        try assembler.append(window, of: index, from: packed.span.bytes, rowOffsets: wrong, to: &rest)
                    }
                }
            }
        }
    }

    @Test("Windows that aren't aligned are refused")
    func noWindow() throws {
        let file = try TilePictures.Kind(100, 75, "-sample 2x2").file()
        let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
        for (columns, rows) in [(0..<0, 0..<1), (0..<1, 2..<2), (0..<5, 0..<1), (-1..<1, 0..<1), (0..<1, 4..<6)]
            as [(Range<Int>, Range<Int>)]
        {
            let window = JPEGTileWindow(columns: columns, rows: rows)
            #expect(!index.layout.contains(window) && index.byteRange(of: window) == nil)
            let error = #expect(throws: JPEGBitstreamError.self) { try Self.tile(window, of: index, file) }
            #expect(error?.code == .windowNotIndexed)
        }
        let other = try JPEGTileIndex(of: file.span.bytes, columnWidth: 64)
        let error = #expect(throws: JPEGBitstreamError.self) {
            var tile: [UInt8] = []
            try JPEGTileAssembler(other.layout).append(
                JPEGTileWindow(columns: 0..<1, rows: 0..<1), of: index, from: file.span.bytes, to: &tile)
        }
        #expect(error?.code == .windowNotIndexed)
    }

    private static func payloads(_ marker: JPEGMarker, of file: [UInt8]) -> [[UInt8]] {
        JPEGStructure(of: file.span.bytes).segments.filter { $0.marker == marker }.map { Array(file[$0.payload]) }
    }

    @Test("Segments are written into the header, and the colour space stays")
    func segments() throws {
        let file = try TilePictures.Kind(90, 90, "-rgb").file()
        let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
        let profile = (0..<200).map { UInt8($0) }
        let segment = JPEGBuilder.bytes { $0.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile) }
        let window = JPEGTileWindow(columns: 1..<2, rows: 3..<5)
        let tile = try Self.tile(window, of: index, file, segments: segment)
        let structure = JPEGStructure(of: tile.span.bytes)
        #expect(structure.failure == nil && structure.endOffset == tile.count)
        #expect(structure.frame?.width == 32 && structure.frame?.height == 16)
        #expect(structure.restartInterval == 4 && structure.scans.first?.restartCount == 1)
        #expect(Self.payloads(.application(2), of: tile) == [Array("ICC_PROFILE\0".utf8) + [1, 1] + profile])
        for marker in [JPEGMarker.application(0), .application(14)] {
            #expect(Self.payloads(marker, of: tile) == Self.payloads(marker, of: file))
        }
        let pixels = try TilePictures.decode([file, tile])
        #expect(pixels[1] == pixels[0]?.crop(x: 32..<64, y: 24..<40))
    }

    @Test("A source other than the indexed one gives an error or an image, never a trap")
    func otherData() throws {
        var random = SeededGenerator(state: 11)
        var refused = 0
        for arguments in ["-sample 2x2", "-sample 1x1 -restart 3B", "-grayscale -optimize"] {
            let file = try TilePictures.Kind(130, 67, arguments).file()
            let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
            let windows = Self.windows(of: index.layout, rows: 2)
            let assembler = JPEGTileAssembler(index.layout)
            for _ in 0..<40 {
                var bytes = file
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    let place = Int.random(in: index.layout.dataOffset..<bytes.count, using: &random)
                    bytes[place] = [0, 0xFF, 0xD3, UInt8.random(in: 0...255, using: &random)].randomElement(
                        using: &random)!
                }
                for window in windows {
                    do throws(JPEGBitstreamError) {
                        var tile: [UInt8] = []
                        try assembler.append(window, of: index, from: bytes.span.bytes, to: &tile)
                        #expect(JPEGStructure(of: tile.span.bytes).failure == nil)
                    } catch {
                        refused += 1
                        #expect(error.code == .invalidEntropyData)
                    }
                }
            }
        }
        #expect(refused > 50)
    }
}
