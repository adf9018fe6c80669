import CTesseraJPEG
import ImageFormats
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("Rows of a progressive JPEG without those above them", .needs(JPEGScans.jpegtran))
struct JPEGScanIndexTests {
    /// A file, its scans and the index of all its rows.
    private struct Indexed {
        let file: [UInt8]
        let script: JPEGScanScript
        var index: JPEGScanIndex

        init(_ file: [UInt8]) throws {
            let bytes = file.span.bytes
            self.file = file
            script = try JPEGScanScript(JPEGStructure(of: bytes), head: bytes, data: bytes, from: 0)
            index = JPEGScanIndex(script, fileEnd: file.count)
            var rows = JPEGCoefficientRows(script)
            let piece = JPEGScanPiece(start: 0, range: 0..<file.count)
            while rows.rowCount < script.layout.mcusDown {
                _ = rows.decodeRow(bytes, [piece])
                let start = JPEGScanIndex.Start(row: rows.rowCount, states: rows.states(bytes, [piece]))
                #expect(index.needsStates(at: rows.rowCount))
                let isNew = index.add(start)
                #expect(isNew)
            }
            #expect(index.isComplete && index.failure == nil)
        }

        var channels: Int { script.layout.components.count == 1 ? 1 : 4 }

        /// The pixels of some rows, from pieces of the scans of `byteCount` bytes each, or more where that isn't enough.
        mutating func decode(_ range: Range<Int>, side: Int, pieces byteCount: Int) -> [UInt8] {
            var byteCount = byteCount
            let start = index.start(for: JPEGSampleRows.firstRow(range.lowerBound, script.layout, side: side))
            var samples = JPEGSampleRows(
                JPEGCoefficientRows(script, from: start.row, states: start.states), bits: 8, side: side,
                from: range.lowerBound)
            var (pixels, row) = ([UInt8](), [UInt8](repeating: 0, count: samples.width * channels))
            var y = range.lowerBound
            while y < range.upperBound {
                let (bytes, pieces) = JPEGScanIndexTests.pieces(
                    of: samples.coefficients.remainingRanges(fileEnd: file.count), byteCount, file)
                let rowCount = samples.coefficients.rowCount
                while y < range.upperBound {
                    if samples.canFillLines(y) {
                        samples.fillLines(y)
                        row.withUnsafeMutableBytes {
                            samples.writePixels(0..<samples.width, isYCC: true, to: $0.baseAddress!)
                        }
                        pixels += row
                        y += 1
                        continue
                    }
                    guard samples.decodeRow(bytes.span.bytes, pieces) else { break }
                    let passed = JPEGScanIndex.Start(
                        row: samples.coefficients.rowCount,
                        states: samples.coefficients.states(bytes.span.bytes, pieces))
                    let isSame = index.add(passed)
                    #expect(isSame, "other states at row \(passed.row)")
                }
                if samples.coefficients.rowCount == rowCount { byteCount *= 2 }
            }
            #expect(samples.failure == nil)
            return pixels
        }
    }

    /// The first bytes of ranges of a file, and the pieces of scans that they are.
    private static func pieces(
        of ranges: [Range<Int>], _ byteCount: Int, _ file: [UInt8]
    ) -> (bytes: [UInt8], pieces: [JPEGScanPiece]) {
        var (bytes, pieces) = ([UInt8](), [JPEGScanPiece]())
        for whole in ranges {
            let part = whole.lowerBound..<min(whole.upperBound, whole.lowerBound + byteCount)
            pieces.append(
                JPEGScanPiece(
                    start: part.lowerBound - bytes.count, range: part, isCut: part.upperBound < whole.upperBound))
            bytes += file[part]
        }
        return (bytes, pieces)
    }

    /// A progressive file of random size and scans; kinds and samplings take turns.
    private static func file(
        _ round: Int, _ random: inout SeededGenerator
    ) throws -> (file: [UInt8], size: PixelSize, script: String) {
        let isGray = round % 7 == 6
        let size = PixelSize(
            width: Int.random(in: 1...120, using: &random), height: Int.random(in: 40...260, using: &random))
        let original = JPEGFixture.file(
            JPEGFixture.Kind(
                pixels: isGray ? TESSERA_JPEG_PIXELS_GRAY8 : TESSERA_JPEG_PIXELS_RGBA8,
                subsampling: isGray ? (1, 1) : JPEGSampleRowsTests.samplings[round % 7], size: size))
        let script = JPEGScans.script(components: isGray ? 1 : 3, &random)
        let restarts = [[], ["-restart", "1"], ["-restart", "7B"]][round % 3]
        return (try JPEGScans.file(original, script, restarts), size, script)
    }

    @Test("Any rows at any size are those of the whole image, from pieces of any length")
    func rows() throws {
        var random = SeededGenerator(6)
        for round in 0..<28 {
            let (file, size, script) = try Self.file(round, &random)
            var indexed = try Indexed(file)
            for side in [8, 4, 2, 1] {
                let whole = try JPEGSampleRowsTests.decode(indexed.file, side: side)
                let (width, height) = ((size.width * side + 7) / 8, (size.height * side + 7) / 8)
                for _ in 0..<6 {
                    let first = Int.random(in: 0..<height, using: &random)
                    let range = first..<min(height, first + Int.random(in: 1...90, using: &random))
                    let rows = indexed.decode(range, side: side, pieces: Int.random(in: 1...2000, using: &random))
                    let stride = width * indexed.channels
                    #expect(
                        rows == Array(whole[(range.lowerBound * stride)..<(range.upperBound * stride)]),
                        "round \(round), \(range) at \(side)/8, \(script)")
                }
            }
        }
    }

    @Test("Rows that are passed on several threads leave all scans where reading them does, damaged or not")
    func passing() throws {
        var random = SeededGenerator(9)
        var (damageCount, turnCount) = (0, 0)
        for round in 0..<40 {
            var file = try Self.file(round, &random).file
            if round % 2 == 1 {
                let ranges = try Indexed(file).script.dataRanges(fileEnd: file.count)
                let place = ranges.randomElement(using: &random)?.randomElement(using: &random)
                if let place { file[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random)) }
            }
            let bytes = file.span.bytes
            let structure = JPEGStructure(of: bytes)
            guard structure.failure == nil else { continue }
            let script = try JPEGScanScript(structure, head: bytes, data: bytes, from: 0)
            let rowsAtOnce = Int.random(in: 1...3, using: &random)
            let plan = JPEGSteppedScans.Plan(rowsAtOnce: rowsAtOnce, isConcurrent: true, keepsAll: false)
            let isDCAlone = script.layout.components.map { _ in false }
            let memory = try ScratchMemory(bytesPerRow: plan.byteCount(script, isDCAlone: isDCAlone), rowCount: 1)

            var rows = JPEGCoefficientRows(script)
            let whole = JPEGScanPiece(start: 0, range: 0..<file.count)
            var expected: [JPEGScanIndex.Start] = []
            while rows.rowCount < script.layout.mcusDown {
                _ = rows.decodeRow(bytes, [whole])
                expected.append(JPEGScanIndex.Start(row: rows.rowCount, states: rows.states(bytes, [whole])))
            }

            var start = JPEGScanIndex(script, fileEnd: file.count).start(for: 0)
            var (starts, failure) = ([JPEGScanIndex.Start](), script.failure)
            var byteCount = Int.random(in: 1...400, using: &random)
            while start.row < script.layout.mcusDown {
                let scans = JPEGSteppedScans(
                    passing: start.row..<script.layout.mcusDown, of: script, states: start.states, plan,
                    memory: JPEGSteppedScans.Memory(memory.base, owner: memory))
                let (part, pieces) = Self.pieces(of: scans.remainingRanges(fileEnd: file.count), byteCount, file)
                scans.withData(part.span.bytes, pieces) { scans.readAll(threadCount: 2) }
                let passed = scans.passed
                if let found = passed.failure, found.offset < failure?.offset ?? .max { failure = found }
                starts += passed.starts
                start = passed.starts.last ?? start
                if passed.starts.isEmpty { byteCount *= 2 }
                turnCount += 1
            }
            #expect(starts == expected, "round \(round)")
            #expect(failure == rows.failure, "round \(round)")
            damageCount += failure == nil ? 0 : 1
        }
        // The rounds are of both kinds, and pieces end within rows.
        #expect(damageCount > 5 && damageCount < 30 && turnCount > 200, "\(damageCount) damaged, \(turnCount) turns")
    }

    @Test("An index comes back from its bytes, for the same file only")
    func serialized() throws {
        let size = PixelSize(width: 75, height: 161)
        let indexed = try Indexed(JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, restartRows: 2, size: size)))
        let source = JPEGTileSource(byteCount: indexed.file.count, modification: 5, hash: [1, 2, 3])
        let empty = JPEGScanIndex(indexed.script, fileEnd: indexed.file.count)
        let stored = indexed.index.serialized(for: source)
        #expect(stored.count <= empty.largestSerializedByteCount)
        let restored = try JPEGScanIndex(serialized: stored.span.bytes, for: source, like: empty)
        #expect(restored.isComplete && restored.isStored && !indexed.index.isStored)
        for row in 0..<indexed.script.layout.mcusDown {
            #expect(restored.start(for: row) == indexed.index.start(for: row))
        }

        func code(_ bytes: [UInt8], _ source: JPEGTileSource, _ empty: JPEGScanIndex) -> JPEGBitstreamError.Code? {
            #expect(throws: JPEGBitstreamError.self) {
                try JPEGScanIndex(serialized: bytes.span.bytes, for: source, like: empty)
            }?.code
        }
        for changed in [
            JPEGTileSource(byteCount: indexed.file.count + 1, modification: 5, hash: [1, 2, 3]),
            JPEGTileSource(byteCount: indexed.file.count, modification: 6, hash: [1, 2, 3]),
            JPEGTileSource(byteCount: indexed.file.count, modification: 5, hash: [1, 2, 4]),
        ] {
            #expect(code(stored, changed, empty) == .otherSource)
        }
        let other = try Indexed(JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, size: size)))
        #expect(code(stored, source, JPEGScanIndex(other.script, fileEnd: other.file.count)) == .invalidIndex)
        for count in stride(from: 0, to: stored.count, by: 5) {
            #expect(code(Array(stored.prefix(count)), source, empty) == .invalidIndex)
        }
        for place in stride(from: 0, to: stored.count, by: 3) {
            var damaged = stored
            damaged[place] ^= 0x10
            #expect(code(damaged, source, empty) == .invalidIndex)
        }
    }

    @Test("States are added in order, and others than those known are refused")
    func adding() throws {
        let indexed = try Indexed(
            JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, size: PixelSize(width: 75, height: 161))))
        var index = JPEGScanIndex(indexed.script, fileEnd: indexed.file.count)
        #expect(index.start(for: 5).row == 0 && !index.covers(1) && !index.isComplete)
        // The rows above are missing.
        _ = index.add(indexed.index.start(for: 3))
        #expect(index.start(for: 5).row == 0)
        for row in 1...3 { _ = index.add(indexed.index.start(for: row)) }
        #expect(index.start(for: 5).row == 3 && index.covers(3) && !index.covers(4))
        let isSame = index.add(.init(row: 2, states: indexed.index.start(for: 3).states))
        #expect(!isSame)
        let damage = JPEGBitstreamError(.invalidEntropyData, "damage", offset: 700)
        index.note(damage)
        index.note(JPEGBitstreamError(.invalidEntropyData, "later damage", offset: 701))
        #expect(index.failure == damage)
    }
}
