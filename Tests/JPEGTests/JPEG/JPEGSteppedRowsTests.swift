import CTesseraJPEG
import ImageFormats
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("JPEG scans in step on several threads")
struct JPEGSteppedRowsTests {
    /// The rows that were made, and why there are no more or what is missing in them.
    struct Made: Equatable {
        var pixels: [UInt8] = []
        var failure: JPEGBitstreamError?
    }

    /// How a file is decoded.
    struct Way {
        var side = 8
        var isYCC = true
        let threads: Int
        let rowsAtOnce: Int
    }

    /// What is made of each pass: of all scans at once, or, with passes, after each scan and after the last.
    static func decode(_ file: [UInt8], _ way: Way, hasPasses: Bool = false) throws -> [Made] {
        let bytes = file.span.bytes
        let structure = JPEGStructure(of: bytes)
        var passes: [Made] = []
        var kept: JPEGSteppedRows?
        for count in hasPasses ? Array(1..<structure.scanCount) + [nil] : [nil] {
            let script = try JPEGScanScript(structure, head: bytes, data: bytes, from: 0, scanCount: count)
            let plan = JPEGSteppedRows.Plan(
                script.layout, threadCount: way.threads, keepsAll: hasPasses, rowsAtOnce: way.rowsAtOnce)
            let isDCAlone = JPEGSampleRows.needsOnlyDC(script.layout, side: way.side)
            kept?.readOn(script, isLast: count == nil)
            let rows =
                try kept
                ?? JPEGSteppedRows(
                    plan.read(script, isDCAlone: isDCAlone), plan, bits: 8, side: way.side,
                    isYCC: way.isYCC, from: 0, isWhole: hasPasses, stopsAtDamage: count == nil)
            kept = hasPasses ? rows : nil
            let bytesPerRow = rows.width * (script.layout.components.count == 1 ? 1 : 4)
            var pixels = [UInt8](repeating: 0, count: rows.height * bytesPerRow)
            let made = pixels.withUnsafeMutableBytes {
                let output = JPEGPixelOutput(
                    0..<rows.width, 0..<rows.height, to: $0.baseAddress!, bytesPerRow: bytesPerRow)
                return rows.write(output, bytes, from: 0)
            }
            if count == nil { #expect(rows.failure != nil || made == rows.height) }
            passes.append(Made(pixels: Array(pixels.prefix(made * bytesPerRow)), failure: rows.failure))
            if hasPasses { rows.finish(bytes, from: 0) }
        }
        return passes
    }

    /// A file in a random script of scans.
    private static func file(
        _ round: Int, _ size: PixelSize, _ random: inout SeededGenerator
    ) throws -> (file: [UInt8], kind: Int, script: String) {
        let kind = [
            TESSERA_JPEG_PIXELS_RGBA8, TESSERA_JPEG_PIXELS_RGBA8, TESSERA_JPEG_PIXELS_GRAY8, TESSERA_JPEG_PIXELS_CMYK8,
        ][round % 4]
        let sampling = kind == TESSERA_JPEG_PIXELS_GRAY8 ? (1, 1) : JPEGSampleRowsTests.samplings[round / 2 % 7]
        let original = JPEGFixture.file(JPEGFixture.Kind(pixels: kind, subsampling: sampling, size: size))
        let script = JPEGScans.script(components: [1: 1, 2: 3, 3: 4][kind]!, &random)
        let restarts = [[], ["-restart", "1"], ["-restart", "5B"]][round % 3]
        return (try JPEGScans.file(original, script, restarts), kind, script)
    }

    @Test("Any script, size, number of threads and rows gives libjpeg's pixels", .needs(JPEGScans.jpegtran))
    func pixels() throws {
        var random = SeededGenerator(31)
        for round in 0..<56 {
            let size = PixelSize(
                width: Int.random(in: 1...170, using: &random), height: Int.random(in: 1...190, using: &random))
            let (file, kind, script) = try Self.file(round, size, &random)
            for side in [8, 4, 2, 1] {
                let expected = JPEGScans.decode(file, pixels: kind, eighths: UInt8(side))
                for threads in [1, 2, 5] {
                    let way = Way(
                        side: side, isYCC: kind != TESSERA_JPEG_PIXELS_CMYK8, threads: threads,
                        rowsAtOnce: 1 + round % 4)
                    #expect(
                        try Self.decode(file, way) == [Made(pixels: expected)],
                        "round \(round): \(size), \(way), \(script)")
                }
            }
        }
    }

    @Test("A pass has the coefficients of the scans so far, which are read once", .needs(JPEGScans.jpegtran))
    func passes() throws {
        var random = SeededGenerator(32)
        for round in 0..<14 {
            let size = PixelSize(width: 75, height: 161)
            let (file, kind, script) = try Self.file(round, size, &random)
            for side in [8, 4, 2, 1] {
                let way = Way(
                    side: side, isYCC: kind != TESSERA_JPEG_PIXELS_CMYK8, threads: 1 + round % 3, rowsAtOnce: 2)
                let passes = try Self.decode(file, way, hasPasses: true)
                for (index, pass) in passes.enumerated() {
                    let count = index + 1 == passes.count ? nil : index + 1
                    let expected = try JPEGSampleRowsTests.decode(
                        file, side: side, scanCount: count, isYCC: way.isYCC)
                    #expect(pass.pixels == expected, "round \(round), pass \(index + 1): \(way), \(script)")
                }
            }
        }
    }

    @Test("Rows above damage, and the error, are the same for any number of threads and with passes")
    func damage() throws {
        var random = SeededGenerator(33)
        var damages = 0
        for round in 0..<40 {
            var file = JPEGFixture.file(
                JPEGFixture.Kind(
                    subsampling: JPEGSampleRowsTests.samplings[round % 7], isProgressive: true,
                    restartRows: round % 2 == 0 ? 0 : 1, size: PixelSize(width: 61, height: 203)))
            let first = JPEGStructure(of: file.span.bytes).scans[0].dataOffset
            for _ in 0..<(1 + round % 3) {
                file[Int.random(in: first..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if round % 5 == 4 { file = Array(file[..<Int.random(in: first..<file.count, using: &random)]) }
            let side = [8, 1, 4, 2][round % 4]
            guard let expected = try? Self.decode(file, Way(side: side, threads: 1, rowsAtOnce: 1)) else { continue }
            if expected[0].failure != nil { damages += 1 }
            for threads in [2, 3, 8] {
                let way = Way(side: side, threads: threads, rowsAtOnce: 1 + threads % 3)
                #expect(try Self.decode(file, way) == expected, "round \(round), \(way)")
                #expect(try Self.decode(file, way, hasPasses: true).last == expected[0], "round \(round), \(way)")
            }
        }
        #expect(damages > 25)
    }
}
