import Testing

import JPEGBitstream
import TestSupport

@Suite("Tiles of progressive JPEGs", .needs(TilePictures.cjpeg, TilePictures.djpeg, TilePictures.shell))
struct ScanTileTests {
    static let kinds = [
        TilePictures.Kind(1, 1, "-progressive"), TilePictures.Kind(17, 9, "-progressive -sample 2x2"),
        TilePictures.Kind(100, 75, "-progressive -sample 1x1 -quality 90"),
        TilePictures.Kind(150, 75, "-progressive -sample 4x1"), TilePictures.Kind(100, 75, "-progressive -sample 1x2"),
        TilePictures.Kind(129, 130, "-progressive -sample 2x2 -quality 60"),
        TilePictures.Kind(130, 67, "-progressive -sample 2x2 -restart 3B"),
        TilePictures.Kind(130, 67, "-progressive -sample 2x1 -restart 1"),
        TilePictures.Kind(101, 99, "-progressive -grayscale -sample 2x2"),
        TilePictures.Kind(90, 90, "-progressive -rgb"), TilePictures.Kind(200, 100, "-progressive -quality 100"),
        TilePictures.Kind(200, 100, "-progressive -quality 1"),
        TilePictures.Kind(100, 75, "-progressive -sample 1x1,2x2,1x1"),
        TilePictures.Kind(900, 700, "-progressive -sample 2x1 -quality 95"),
    ]

    /// The index of a file whose bytes come in pieces.
    static func indexer(
        _ file: [UInt8], columnWidth: Int = 32, pieceLength: Int = 4096, maximumByteCount: Int = 1 << 24
    ) throws -> JPEGScanTileIndexer {
        var indexer = try JPEGScanTileIndexer(
            header: file.span.bytes, columnWidth: columnWidth, maximumByteCount: maximumByteCount)
        for start in stride(from: indexer.layout.tile.dataOffset, to: file.count, by: pieceLength) {
            indexer.append(file.span.bytes.extracting(start..<min(start + pieceLength, file.count)))
        }
        indexer.finish()
        return indexer
    }

    /// An index restored from pages of some rows and columns.
    static func restored(
        _ indexer: JPEGScanTileIndexer, byteCount: Int, rows: Int = 3, columns: Int = 2
    ) throws -> JPEGScanTileIndex {
        let header = indexer.layout.header
        let layout = try JPEGScanTileLayout(
            header: header.span.bytes, mcusPerColumn: indexer.layout.tile.mcusPerColumn,
            dataOffset: indexer.layout.tile.dataOffset)
        #expect(layout.header == header && layout.tile == indexer.layout.tile)
        var index = JPEGScanTileIndex(restoring: layout, rowsPerPage: rows, columnsPerPage: columns)
        for row in stride(from: 0, to: layout.tile.mcusDown, by: rows) {
            for column in stride(from: 0, to: layout.tile.columnCount, by: columns) {
                let page = indexer.page(
                    rows: row..<min(row + rows, layout.tile.mcusDown),
                    columns: column..<min(column + columns, layout.tile.columnCount))
                try index.restore(page.span.bytes, row: row, column: column, byteCount: UInt64(byteCount))
            }
        }
        return index
    }

    /// Only the bytes of a window's ranges, one after the other, and where they belong.
    static func bytes(_ ranges: [Range<Int>], of file: [UInt8]) -> (source: [UInt8], offsets: [Int]) {
        var (source, offsets): ([UInt8], [Int]) = ([], [])
        for range in ranges {
            offsets.append(range.lowerBound - source.count)
            source += file[range.lowerBound..<min(range.upperBound, file.count)]
        }
        return (source, offsets)
    }

    static func tile(_ window: JPEGTileWindow, _ index: JPEGScanTileIndex, _ file: [UInt8]) throws -> [UInt8] {
        let assembler = JPEGScanTileAssembler(index.layout)
        let (source, offsets) = bytes(try assembler.byteRanges(of: window, in: index), of: file)
        var tile: [UInt8] = []
        try assembler.append(window, of: index, from: source.span.bytes, offsets: offsets, to: &tile)
        return tile
    }

    @Test("Every tile has its source's pixels, made from its own bytes alone", arguments: kinds)
    func pixels(kind: TilePictures.Kind) throws {
        let file = try kind.file()
        for (columnWidth, rows) in [(1, 3), (32, 1), (64, 2)] {
            let indexer = try Self.indexer(file, columnWidth: columnWidth)
            #expect(indexer.isComplete && indexer.failure == nil)
            let index = try Self.restored(indexer, byteCount: file.count)
            let layout = index.layout.tile
            let windows = Array(TileAssemblerTests.windows(of: layout, rows: rows).suffix(40))
            let tiles = try windows.map { try Self.tile($0, index, file) }
            for tile in tiles {
                let own = try JPEGTileIndex(of: tile.span.bytes)
                #expect(own.isComplete)
            }
            let decoded = try TilePictures.decode([file] + tiles)
            let whole = try #require(decoded[0])
            for (window, pixels) in zip(windows, decoded.dropFirst()) {
                let expected = whole.crop(x: layout.x(of: window), y: layout.y(of: window))
                #expect(pixels == expected, "\(window) of columns of \(layout.columnWidth)")
            }
        }
    }

    @Test("The index doesn't depend on how the bytes are split", arguments: [1, 7, 1000])
    func split(pieceLength: Int) throws {
        for kind in Self.kinds[4...7] {
            let file = try kind.file()
            let (whole, split) = (
                try Self.indexer(file, pieceLength: file.count), try Self.indexer(file, pieceLength: pieceLength)
            )
            let tile = whole.layout.tile
            let (rows, columns) = (0..<tile.mcusDown, 0..<tile.columnCount)
            #expect(split.layout.header == whole.layout.header)
            #expect(split.page(rows: rows, columns: columns) == whole.page(rows: rows, columns: columns))
        }
    }

    @Test("The eighth is the mean of each block, in every component")
    func eighth() throws {
        // djpeg makes the eighth of subsampled luma in another way.
        for kind in Self.kinds
        where kind.width > 50 && !kind.arguments.contains(where: { ["-rgb", "1x1,2x2,1x1"].contains($0) }) {
            let file = try kind.file()
            let indexer = try Self.indexer(file)
            let tile = indexer.layout.tile
            #expect(indexer.eighthRowCount == tile.mcusDown)
            // djpeg's own eighth, as grey: the luma's.
            let grey = try #require(try TilePictures.decode([file], "-grayscale -scale 1/8")[0])
            guard tile.mcuWidth == tile.mcuHeight || tile.componentCount == 1 else { continue }
            for y in 0..<grey.height {
                for x in 0..<grey.width {
                    let sample = indexer.eighthSample(0, x: x, y: y)
                    #expect(sample == grey.samples[y * grey.width + x], "\(x), \(y) of \(kind.testDescription)")
                }
            }
        }
    }

    @Test("A file that ends in a scan has an error with the place, and so has damage")
    func damaged() throws {
        let file = try Self.kinds[5].file()
        let scans = JPEGStructure(of: file.span.bytes).scans
        for scan in scans.indices {
            let end = try #require(scans[scan].endOffset)
            let place = (scans[scan].dataOffset + end) / 2
            let cut = try Self.indexer(Array(file[..<place]))
            #expect(cut.failure?.code == .truncated && cut.failure?.offset == place && !cut.isComplete)
        }
        // An end of the image in the middle of the scan with the first detail.
        var other = file
        let place = scans[1].dataOffset + 20
        (other[place], other[place + 1]) = (0xFF, 0xD9)
        let failure = try Self.indexer(other).failure
        #expect(failure?.code == .invalidEntropyData && abs((failure?.offset ?? 0) - place) < 16)
    }

    @Test("A missing end-of-image marker alone is no error")
    func missingEnd() throws {
        let file = try Self.kinds[5].file()
        let indexer = try Self.indexer(file.dropLast(2))
        #expect(indexer.isComplete && indexer.failure == nil)
    }

    @Test("A scan of coefficients that earlier scans have completed is an error with its place")
    func repeated() throws {
        let file = try Self.kinds[5].file()
        let last = try #require(JPEGStructure(of: file.span.bytes).scans.last)
        let end = try #require(last.endOffset)
        var other = file
        other.insert(contentsOf: file[last.offset..<end], at: end)
        let failure = try Self.indexer(other).failure
        // Its data begins behind its header.
        #expect(failure?.code == .invalidScan && failure?.offset == end + last.dataOffset - last.offset)
    }

    @Test("Memory is limited before it is taken")
    func limits() throws {
        let file = try Self.kinds[5].file()
        #expect { try Self.indexer(file, maximumByteCount: 4000) } throws: { error in
            guard case .damagedHeader(let failure)? = error as? JPEGTileObstacle else { return false }
            return failure.code == .tooLarge && failure.message.contains("129x130")
        }
        let indexer = try Self.indexer(file, maximumByteCount: 12000)
        #expect(indexer.failure?.code == .tooLarge)
    }

    @Test("Other processes than Huffman-coded DCT have obstacles")
    func obstacles() throws {
        let file = try Self.kinds[5].file()
        let place = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xC2]) })
        for (marker, obstacle) in [(0xC3, JPEGTileObstacle.lossless), (0xCA, .arithmetic), (0xC6, .hierarchical)] {
            var other = file
            other[place + 1] = UInt8(marker)
            #expect(throws: obstacle) { try Self.indexer(other) }
        }
        var other = file
        other[place + 4] = 12
        #expect(throws: JPEGTileObstacle.precision(12)) { try Self.indexer(other) }
    }

    @Test("Truncated, lengthened and changed pages are refused, or their tiles are")
    func damagedPages() throws {
        let file = try Self.kinds[5].file()
        let indexer = try Self.indexer(file)
        let page = indexer.page(rows: 0..<3, columns: 0..<2)
        var index = JPEGScanTileIndex(restoring: indexer.layout, rowsPerPage: 3, columnsPerPage: 2)
        let pages = stride(from: 0, to: page.count, by: 7).map { Array(page[..<$0]) } + [page + [0]]
        for bytes in pages {
            #expect { try index.restore(bytes.span.bytes, row: 0, column: 0, byteCount: UInt64(file.count)) } throws: {
                ($0 as? JPEGBitstreamError)?.code == .invalidIndex
            }
        }
        let window = JPEGTileWindow(columns: 0..<2, rows: 0..<3)
        #expect { try Self.tile(window, index, file) } throws: {
            ($0 as? JPEGBitstreamError)?.code == .windowNotIndexed
        }
        for (row, column) in [(1, 0), (0, 1), (-3, 0), (99, 0), (0, 98)] {
            #expect { try index.restore(page.span.bytes, row: row, column: column, byteCount: 1 << 20) } throws: {
                ($0 as? JPEGBitstreamError)?.code == .invalidIndex
            }
        }
        var random = SeededGenerator(state: 26)
        var tileCount = 0
        for _ in 0..<400 {
            var bytes = page
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do {
                try index.restore(bytes.span.bytes, row: 0, column: 0, byteCount: UInt64(file.count))
                let tile = try Self.tile(window, index, file)
                // Changes that the data contradicts are found: a tile that is cut is sound.
                let own = try JPEGTileIndex(of: tile.span.bytes)
                #expect(own.isComplete)
                tileCount += 1
            } catch let error as JPEGBitstreamError {
                #expect([.invalidIndex, .truncated, .invalidEntropyData, .tooLarge].contains(error.code))
            }
        }
        #expect(tileCount < 40)
    }

    @Test("Missing bytes are an error, and leave the output as it is")
    func missingBytes() throws {
        let file = try Self.kinds[5].file()
        let index = try Self.restored(try Self.indexer(file), byteCount: file.count)
        let assembler = JPEGScanTileAssembler(index.layout)
        let window = JPEGTileWindow(columns: 1..<3, rows: 1..<4)
        let (source, offsets) = Self.bytes(try assembler.byteRanges(of: window, in: index), of: file)
        var tile: [UInt8] = [7]
        for (bytes, places) in [
            (Array(source.dropLast(9)), offsets), (source, Array(offsets.dropLast())), (source, offsets.map { -$0 }),
        ] {
            #expect(throws: JPEGBitstreamError.self) {
                try assembler.append(window, of: index, from: bytes.span.bytes, offsets: places, to: &tile)
            }
            #expect(tile == [7])
        }
        #expect {
            try assembler.byteRanges(of: JPEGTileWindow(columns: 0..<99, rows: 0..<1), in: index)
        } throws: { ($0 as? JPEGBitstreamError)?.code == .windowNotIndexed }
    }

    @Test(
        "Real progressive files give tiles with their source's pixels", .needsCorpus,
        arguments: Corpus.files("valid/jpeg", "photos").filter { $0.hasSuffix("g") })
    func corpus(path: String) throws {
        let file = try Corpus.bytes(path)
        guard let obstacle = JPEGTileLayout.obstacle(header: file.span.bytes), obstacle.isOfScans,
            let indexer = try? Self.indexer(file, columnWidth: 48, maximumByteCount: 1 << 28), indexer.isComplete,
            try TilePictures.decode([file])[0] != nil
        else { return }
        let index = try Self.restored(indexer, byteCount: file.count)
        let layout = index.layout.tile
        var random = SeededGenerator(state: UInt64(file.count))
        let windows = Array(TileAssemblerTests.windows(of: layout, rows: 3).shuffled(using: &random).prefix(12))
        let decoded = try TilePictures.decode([file] + windows.map { try Self.tile($0, index, file) })
        let whole = try #require(decoded[0])
        for (window, pixels) in zip(windows, decoded.dropFirst()) {
            #expect(pixels == whole.crop(x: layout.x(of: window), y: layout.y(of: window)), "\(window) of \(path)")
        }
    }
}
