import Testing

import JPEGBitstream
import TestSupport

@Suite("Random-access index of JPEGs")
struct TileIndexTests {
    @Test("Entries have a plain decoder's positions and predictions", arguments: TilePictures.kinds)
    func entries(kind: TilePictures.Kind) throws {
        guard TilePictures.cjpeg.isInstalled else { return }
        let file = try kind.file()
        for columnWidth in [1, 48, 256] {
            let index = try JPEGTileIndex(of: file.span.bytes, columnWidth: columnWidth)
            let layout = index.layout
            let places = try PlainDecoder(file).places()
            for row in 0..<layout.mcusDown {
                for column in 0..<layout.columnCount {
                    let place = places[row * layout.mcusAcross + column * layout.mcusPerColumn]
                    let entry = index.entry(row: row, column: column)
                    #expect(entry.position == place.position)
                    for (component, prediction) in place.predictions.enumerated() {
                        #expect(entry.prediction(component) == prediction)
                    }
                }
            }
        }
    }

    @Test("Any split gives the same index", .needs(TilePictures.cjpeg))
    func pieces() throws {
        for arguments in ["-sample 2x2 -quality 95", "-sample 2x1 -restart 1B", "-grayscale -restart 7B"] {
            let file = try TilePictures.Kind(300, 200, arguments).file()
            let layout = try JPEGTileLayout(header: file.span.bytes, columnWidth: 32)
            let data = Array(file[layout.dataOffset...])
            var whole = JPEGTileIndexer(layout)
            whole.append(data.span.bytes)
            whole.finish()
            #expect(whole.index.isComplete)
            for length in [1, 2, 7, 100, 1000, 5000] {
                var indexer = JPEGTileIndexer(layout)
                var rows = 0
                for start in stride(from: 0, to: data.count, by: length) {
                    indexer.append(Array(data[start..<min(start + length, data.count)]).span.bytes)
                    #expect(indexer.index.rowCount >= rows)
                    rows = indexer.index.rowCount
                }
                // The end-of-image marker tells that no more is to come.
                #expect(indexer.isFinished && rows == layout.mcusDown)
                indexer.finish()
                #expect(indexer.index.entries == whole.index.entries && indexer.index.failure == nil)
                #expect(indexer.eighth?.samples == whole.eighth?.samples)
            }
        }
    }

    @Test("The reduction to an eighth is djpeg's", .needs(TilePictures.cjpeg, TilePictures.djpeg))
    func eighth() throws {
        for kind in [
            TilePictures.Kind(333, 257, "-sample 2x2 -grayscale"), TilePictures.Kind(100, 75, "-grayscale -quality 3"),
        ] {
            let file = try kind.file()
            let layout = try JPEGTileLayout(header: file.span.bytes)
            var indexer = JPEGTileIndexer(layout)
            indexer.append(file.span.bytes.extracting(droppingFirst: layout.dataOffset))
            let expected = try #require(try TilePictures.decode([file], "-scale 1/8")[0])
            let eighth = try #require(indexer.eighth)
            #expect(indexer.isEighthExact && eighth.width == expected.width && eighth.height == expected.height)
            for row in 0..<eighth.height {
                let start = eighth.start(of: row, in: 0)
                let samples = eighth.samples[start..<start + eighth.width]
                #expect(Array(samples) == expected.crop(x: 0..<expected.width, y: row..<row + 1).samples)
            }
        }
    }

    @Test("A truncated file keeps its rows and its offset", .needs(TilePictures.cjpeg))
    func truncated() throws {
        for arguments in ["-sample 2x2", "-restart 3B", "-restart 1"] {
            let file = try TilePictures.Kind(130, 130, arguments).file()
            let whole = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
            var rows = 0
            for end in stride(from: whole.layout.dataOffset, to: file.count - 2, by: 13) {
                let index = try JPEGTileIndex(of: Array(file[..<end]).span.bytes, columnWidth: 32)
                #expect(index.rowCount >= rows)
                rows = index.rowCount
                #expect(index.entries[...] == whole.entries.prefix(rows * (index.layout.columnCount + 1)))
                if rows < index.layout.mcusDown {
                    #expect(index.failure?.code == .truncated && index.failure?.offset == end)
                }
            }
            #expect(rows >= whole.layout.mcusDown - 1)
        }
    }

    @Test("Damage keeps the rows before it, and never traps", .needs(TilePictures.cjpeg))
    func damaged() throws {
        var random = SeededGenerator(state: 5)
        for arguments in ["-sample 2x2", "-sample 1x1 -restart 3B", "-grayscale -quality 95"] {
            let file = try TilePictures.Kind(130, 130, arguments).file()
            let whole = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
            var failures = 0
            for _ in 0..<120 {
                var bytes = file
                let place = Int.random(in: whole.layout.dataOffset..<bytes.count - 2, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = 0xFF
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.remove(at: place)
                default: bytes.replaceSubrange(place..<place + 1, with: [0xFF, 0xD0])
                }
                let index = try JPEGTileIndex(of: bytes.span.bytes, columnWidth: 32)
                let sound = (0..<whole.rowCount).prefix {
                    whole.entry(row: $0, column: whole.layout.columnCount).position <= UInt64(place) * 8
                }
                #expect(index.rowCount >= sound.count)
                let count = sound.count * (index.layout.columnCount + 1)
                #expect(index.entries.prefix(count) == whole.entries.prefix(count))
                #expect(index.entries.count == index.rowCount * (index.layout.columnCount + 1))
                #expect((index.failure == nil) == index.isComplete)
                if let failure = index.failure {
                    failures += 1
                    #expect(failure.code == .invalidEntropyData || failure.code == .truncated)
                    #expect(index.layout.dataOffset...bytes.count ~= failure.offset)
                }
            }
            #expect(failures > 10)
        }
    }

    @Test("Fill bytes before a restart marker are ignored", .needs(TilePictures.cjpeg))
    func fill() throws {
        let file = try TilePictures.Kind(130, 67, "-sample 2x2 -restart 2B").file()
        let dataOffset = try JPEGTileLayout(header: file.span.bytes).dataOffset
        var bytes = Array(file[..<dataOffset])
        for place in dataOffset..<file.count {
            if file[place] == 0xFF, 0xD0...0xD7 ~= file[place + 1] { bytes += [0xFF, 0xFF, 0xFF] }
            bytes.append(file[place])
        }
        #expect(bytes.count > file.count)
        let index = try JPEGTileIndex(of: bytes.span.bytes, columnWidth: 32)
        #expect(index.isComplete)
        let places = try PlainDecoder(bytes).places()
        for column in 0..<index.layout.columnCount {
            #expect(index.entry(row: 2, column: column).position == places[2 * 9 + 2 * column].position)
        }
    }
}
