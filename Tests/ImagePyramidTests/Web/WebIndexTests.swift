import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("The index of a JPEG for browsers")
struct WebIndexTests {
    /// The fields of an index file, read by its documentation alone.
    struct Parsed {
        let bytes: [UInt8]

        func number(_ place: Int, _ count: Int = 4) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }

        var headerRange: Range<Int> { 88..<88 + number(80) }
        var segments: [UInt8] { Array(bytes[headerRange.upperBound..<headerRange.upperBound + number(84)]) }
        private var tables: Int { (headerRange.upperBound + number(84) + 3) & ~3 }
        var pageCount: Int {
            let rows = (number(48) + number(52, 2) - 1) / number(52, 2)
            return number(54, 2) == 0 ? rows : rows * ((number(58, 2) + number(54, 2) - 1) / number(54, 2))
        }

        func tiles(_ count: Int) -> [[UInt8]] { parts(count, at: tables) }
        func pages(after tileCount: Int) -> [[UInt8]] { parts(pageCount, at: tables + 4 * (tileCount + 1)) }

        private func parts(_ count: Int, at place: Int) -> [[UInt8]] {
            (0..<count).map { Array(bytes[number(place + 4 * $0)..<number(place + 4 * $0 + 4)]) }
        }
    }

    private static func file(
        _ size: PixelSize = PixelSize(width: 1283, height: 1021), orientation: Orientation = .up,
        isProgressive: Bool = false
    ) throws -> [UInt8] {
        var options = EncodingOptions(quality: 0.9)
        options.metadata.orientation = orientation
        options.jpeg = .init(subsampling: .yuv420, isProgressive: isProgressive)
        let picture = try Bitmap.grainy(size, format: .rgba8)
        return try ImageDestination(format: .jpeg, options: options).encode(picture)
    }

    @Test("Its numbers are the picture's", arguments: [Orientation.up, .right], [false, true])
    func head(orientation: Orientation, isProgressive: Bool) throws {
        let file = try Self.file(orientation: orientation, isProgressive: isProgressive)
        let index = Parsed(bytes: try WebIndex(of: Source(file)).bytes)
        #expect(Array(index.bytes[..<8]) == Array("TESSERA1".utf8))
        #expect(index.number(12) == 512 && index.number(16, 8) == file.count)
        #expect((index.number(24), index.number(28)) == (1283, 1021) && index.number(32) == Int(orientation.rawValue))
        #expect(index.number(36) == 16 && index.number(48) == 64 && index.number(52, 2) == 16)
        #expect((index.number(54, 2), index.number(58, 2)) == (isProgressive ? (8, 6) : (0, 0)))
        #expect(index.number(64, 8) == 0 && index.number(72, 8) == 0)
        // 1283 × 1021, 642 × 511, 321 × 256: a screen shows the half.
        #expect(index.number(56, 2) == 2 && index.number(60) == 1)
        let pages = index.pages(after: 3)
        #expect(pages.count == 4 && index.number(8) < index.bytes.count)
        let byteCount = (index.tiles(3) + pages).reduce(index.number(8)) { $0 + $1.count }
        #expect(byteCount == index.bytes.count)
    }

    @Test("Stored levels are the picture's, upright", arguments: [Orientation.up, .right, .downMirrored])
    func levels(orientation: Orientation) throws {
        let file = try Self.file(orientation: orientation)
        let index = Parsed(bytes: try WebIndex(of: Source(file), options: .init(firstLevel: 1, quality: 0.95)).bytes)
        let whole = try ImageSource.decode(file).bitmap
        let half = try whole.resampled(
            to: PixelSize(width: (whole.size.width + 1) / 2, height: (whole.size.height + 1) / 2), filter: .area)
        // Coarsest first: the quarter's only tile, then the half's.
        let tile = try ImageSource.decode(index.tiles(3)[1]).bitmap
        #expect(tile.size == PixelSize(width: min(512, half.size.width), height: min(512, half.size.height)))
        let part = try half.cropped(to: PixelRect(tile.size)).converted(to: tile.format, alpha: tile.alpha)
        let differences = zip(tile.tightBytes(), part.tightBytes()).map { abs(Int($0) - Int($1)) }
        #expect(differences.reduce(0, +) / differences.count < 8)
    }

    @Test("Its pages restore positions by which the picture's own bits become tiles")
    func pages() throws {
        let file = try Self.file()
        let index = Parsed(bytes: try WebIndex(of: Source(file)).bytes)
        let header = Array(index.bytes[index.headerRange])
        let layout = try JPEGTileLayout(
            header: header.span.bytes, mcusPerColumn: index.number(36), dataOffset: index.number(40, 8))
        var restored = JPEGTileIndex(restoring: layout, rowCount: index.number(48))
        for (number, page) in index.pages(after: 3).enumerated() {
            let rows = 16 * number..<min(16 * number + 16, restored.rowCount)
            try restored.restore(page.span.bytes, rows: rows, byteCount: UInt64(file.count))
        }
        let made = try JPEGTileIndex(of: file.span.bytes)
        for window in [JPEGTileWindow(columns: 0..<2, rows: 0..<20), .init(columns: 4..<6, rows: 60..<64)] {
            var (tile, expected): ([UInt8], [UInt8]) = ([], [])
            try JPEGTileAssembler(layout).append(window, of: restored, from: file.span.bytes, to: &tile)
            try JPEGTileAssembler(made.layout).append(window, of: made, from: file.span.bytes, to: &expected)
            #expect(tile == expected)
        }
    }

    @Test("Those of a progressive picture give tiles with its pixels")
    func progressivePages() throws {
        let file = try Self.file(isProgressive: true)
        let index = Parsed(bytes: try WebIndex(of: Source(file)).bytes)
        let header = Array(index.bytes[index.headerRange])
        let layout = try JPEGScanTileLayout(
            header: header.span.bytes, mcusPerColumn: index.number(36), dataOffset: index.number(40, 8))
        var restored = JPEGScanTileIndex(restoring: layout, rowsPerPage: 16, columnsPerPage: 8)
        for (number, page) in index.pages(after: 3).enumerated() {
            try restored.restore(page.span.bytes, row: 16 * number, column: 0, byteCount: UInt64(file.count))
        }
        let window = JPEGTileWindow(columns: 1..<6, rows: 10..<64)
        var tile: [UInt8] = []
        let assembler = JPEGScanTileAssembler(layout)
        let ranges = try assembler.byteRanges(of: window, in: restored)
        try assembler.append(
            window, of: restored, from: file.span.bytes, offsets: ranges.map { _ in 0 }, to: &tile)
        let decoded = try ImageSource.decode(tile).bitmap
        let whole = try ImageSource.decode(file).bitmap
        #expect(decoded.size == PixelSize(width: 1283 - 256, height: 1021 - 160))
        // Chroma at the cut edges is interpolated with what is beside.
        let inner = PixelRect(x: 2, y: 2, width: decoded.size.width - 2, height: decoded.size.height - 2)
        let outer = PixelRect(x: 258, y: 162, width: inner.width, height: inner.height)
        #expect(try decoded.cropped(to: inner).tightBytes() == whole.cropped(to: outer).tightBytes())
    }

    @Test("A JPNG's mask is where the file has it")
    func mask() throws {
        let picture = try Bitmap.grainy(PixelSize(width: 700, height: 300), format: .rgba8).converted(
            to: .rgba8, alpha: .straight)
        let file = try ImageDestination(format: .jpng, options: EncodingOptions(quality: 0.9)).encode(picture)
        let index = Parsed(bytes: try WebIndex(of: Source(file)).bytes)
        #expect(index.number(64, 8) > 0 && index.number(72, 8) > 0)
        #expect(index.number(64, 8) + index.number(72, 8) <= file.count - 16)
        let mask = Array(file[index.number(64, 8)..<index.number(64, 8) + index.number(72, 8)])
        #expect(try ImageSource.decode(mask).bitmap.size == PixelSize(width: 700, height: 300))
    }

    @Test("Small pictures have their coarsest level", arguments: [1, 512, 513, 1025])
    func small(side: Int) throws {
        let file = try Self.file(PixelSize(width: side, height: 3))
        let index = Parsed(bytes: try WebIndex(of: Source(file)).bytes)
        let levelCount = side <= 512 ? 1 : side <= 1024 ? 2 : 3
        #expect(index.number(56, 2) + index.number(60) == levelCount && index.number(56, 2) >= 1)
    }

    @Test("Levels beyond 1 to 5 are refused", arguments: [0, 6])
    func invalidLevel(level: Int) throws {
        let file = try Self.file()
        #expect { try WebIndex(of: Source(file), options: .init(firstLevel: level)) } throws: {
            ($0 as? ImageError)?.code == .invalidParameter
        }
    }

    @Test("Other formats and other kinds of JPEG are refused, with the reason and what to do")
    func refused() throws {
        let png = try ImageDestination(format: .png).encode(
            Bitmap.grainy(PixelSize(width: 20, height: 20), format: .rgba8))
        #expect(throws: ImageError.self) { try WebIndex(of: Source(png)) }
        var arithmetic = try Self.file()
        let place = try #require(arithmetic.indices.first { arithmetic[$0...].starts(with: [0xFF, 0xC0]) })
        arithmetic[place + 1] = 0xC9
        #expect { try WebIndex(of: Source(arithmetic)) } throws: { error in
            guard let error = error as? ImageError else { return false }
            return error.code == .unsupported && error.message.contains("arithmetic")
                && error.message.contains("convert")
        }
    }

    @Test("Truncated and damaged pictures are refused, with the place", arguments: [false, true])
    func damaged(isProgressive: Bool) throws {
        let file = try Self.file(isProgressive: isProgressive)
        let half = Array(file[..<(file.count / 2)])
        #expect { try WebIndex(of: Source(half)) } throws: {
            ($0 as? ImageError)?.code == .truncated && ($0 as? ImageError)?.byteOffset == half.count
        }
        var damaged = file
        for place in file.count / 2..<file.count / 2 + 300 { damaged[place] = 0xFF }
        #expect { try WebIndex(of: Source(damaged)) } throws: {
            ($0 as? ImageError)?.code == .corrupt && abs((($0 as? ImageError)?.byteOffset ?? 0) - file.count / 2) < 8192
        }
    }

    @Test("A progressive picture that would take more memory than is permitted is refused")
    func memory() throws {
        let file = try Self.file(isProgressive: true)
        var limits = DecodingLimits.largePictures
        limits.maximumWorkingByteCount = 100_000
        #expect { try WebIndex(of: Source(file), options: .init(limits: limits)) } throws: {
            ($0 as? ImageError)?.code == .limitExceeded
        }
    }
}
