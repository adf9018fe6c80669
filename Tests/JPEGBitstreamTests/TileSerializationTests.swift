import Testing

import JPEGBitstream
import TestSupport

@Suite("Stored indexes", .needs(TilePictures.cjpeg))
struct TileSerializationTests {
    static let kinds = [
        TilePictures.Kind(130, 67, "-sample 2x2 -restart 3B"), TilePictures.Kind(100, 75, "-grayscale -optimize"),
        TilePictures.Kind(90, 90, "-rgb"), TilePictures.Kind(1, 1, "-sample 2x1"),
        TilePictures.Kind(200, 100, "-sample 1x1 -quality 2"),
    ]

    static func source(_ file: [UInt8]) -> JPEGTileSource {
        JPEGTileSource(byteCount: file.count, modification: -1_700_000_000_123_456_789, hash: Array("hash of it".utf8))
    }

    static func restored(_ bytes: [UInt8], _ source: JPEGTileSource) throws(JPEGBitstreamError) -> JPEGTileIndex {
        try JPEGTileIndex(serialized: bytes.span.bytes, for: source)
    }

    /// The sum that the format says, computed as it says.
    static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        let body = bytes.dropLast(8)
        for start in stride(from: 0, to: body.count, by: 8) {
            let number = body[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            sum = (sum ^ number) &* 1_099_511_628_211
            sum ^= sum >> 29
        }
        return body + (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64(8 * $0)) }
    }

    @Test("An index is read back", arguments: kinds)
    func roundTrip(kind: TilePictures.Kind) throws {
        let file = try kind.file()
        let dataOffset = try JPEGTileLayout(header: file.span.bytes).dataOffset
        for end in [file.count, (file.count + dataOffset) / 2] {
            for columnWidth in [1, 32, 256] {
                let index = try JPEGTileIndex(of: Array(file[..<end]).span.bytes, columnWidth: columnWidth)
                let bytes = index.serialized(for: Self.source(file))
                #expect(bytes == Self.withChecksum(bytes))
                let restored = try Self.restored(bytes, Self.source(file))
                #expect(restored.layout == index.layout && restored.rowCount == index.rowCount)
                #expect(restored.entries == index.entries && restored.failure == index.failure)
            }
        }
    }

    @Test("The index of another file, or of an older version, is refused")
    func otherSource() throws {
        let file = try Self.kinds[0].file()
        let bytes = try JPEGTileIndex(of: file.span.bytes).serialized(for: Self.source(file))
        let source = Self.source(file)
        for other in [
            JPEGTileSource(byteCount: file.count + 1, modification: source.modification, hash: source.hash),
            JPEGTileSource(byteCount: file.count, modification: source.modification + 1, hash: source.hash),
            JPEGTileSource(byteCount: file.count, modification: source.modification, hash: []),
            JPEGTileSource(byteCount: file.count, modification: source.modification, hash: Array("hash of if".utf8)),
        ] {
            let error = #expect(throws: JPEGBitstreamError.self) { try Self.restored(bytes, other) }
            #expect(error?.code == .otherSource)
        }
    }

    @Test("Truncated and changed bytes are refused")
    func damaged() throws {
        let file = try Self.kinds[0].file()
        let bytes = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32).serialized(for: Self.source(file))
        for end in stride(from: 0, to: bytes.count, by: 3) {
            let error = #expect(throws: JPEGBitstreamError.self) {
                try Self.restored(Array(bytes[..<end]), Self.source(file))
            }
            #expect(error?.code == .invalidIndex)
        }
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x40
            let error = #expect(throws: JPEGBitstreamError.self) { try Self.restored(changed, Self.source(file)) }
            #expect(error?.code == .invalidIndex)
        }
    }

    @Test("Changed bytes with a valid checksum never trap, nor do tiles from them")
    func hostile() throws {
        var random = SeededGenerator(state: 9)
        for kind in Self.kinds.prefix(2) {
            let file = try kind.file()
            let source = Self.source(file)
            let bytes = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32).serialized(for: source)
            var accepted = 0
            func tryOut(_ changed: [UInt8]) {
                guard let index = try? Self.restored(Self.withChecksum(changed), source) else { return }
                accepted += 1
                let assembler = JPEGTileAssembler(index.layout)
                var tile: [UInt8] = []
                for row in 0..<min(index.layout.mcusDown, 8) {
                    let window = JPEGTileWindow(columns: 0..<index.layout.columnCount, rows: 0..<row + 1)
                    if let range = index.byteRange(of: window) { #expect(range.upperBound <= file.count) }
                    try? assembler.append(window, of: index, from: file.span.bytes, to: &tile)
                }
            }
            for end in stride(from: 16, to: bytes.count, by: 8) { tryOut(Array(bytes[..<end])) }
            for place in stride(from: 8, to: bytes.count - 8, by: 5) {
                for value in [0, 0x7F, 0xFF, bytes[place] ^ 1] {
                    var changed = bytes
                    changed[place] = value
                    tryOut(changed)
                }
            }
            for _ in 0..<200 {
                var changed = bytes
                for _ in 0..<4 {
                    changed[Int.random(in: 8..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                tryOut(changed)
            }
            #expect(accepted > 20)
        }
    }

    @Test("Offsets beyond 4 GB are kept")
    func large() throws {
        let file = try Self.kinds[0].file()
        let layout = try JPEGTileLayout(header: file.span.bytes, columnWidth: 32)
        // The file with six billion bytes of application data before its frame: the index of it has other offsets.
        let distance = 6_000_000_000
        let source = JPEGTileSource(byteCount: file.count + distance)
        var bytes = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32).serialized(for: source)
        func add(_ number: Int, at place: Int) {
            var sum = bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) } + number
            for index in 0..<8 {
                bytes[place + index] = UInt8(truncatingIfNeeded: sum)
                sum >>= 8
            }
        }
        let count = layout.mcusDown * (layout.columnCount + 1)
        let entries = bytes.count - 8 - 16 * count
        add(distance, at: entries - 40)
        for index in 0..<count { add(distance * 8, at: entries + 16 * index) }
        let index = try Self.restored(Self.withChecksum(bytes), source)
        let near = try JPEGTileIndex(of: file.span.bytes, columnWidth: 32)
        let window = JPEGTileWindow(columns: 1..<3, rows: 1..<4)
        let range = try #require(index.byteRange(of: window))
        let nearRange = try #require(near.byteRange(of: window))
        #expect(range.lowerBound == nearRange.lowerBound + distance && range.count == nearRange.count)
        var tile: [UInt8] = []
        try JPEGTileAssembler(index.layout)
            .append(
                window, of: index, from: Array(file[nearRange]).span.bytes, startingAt: range.lowerBound, to: &tile)
        #expect(try tile == TileAssemblerTests.tile(window, of: near, file))
    }
}
