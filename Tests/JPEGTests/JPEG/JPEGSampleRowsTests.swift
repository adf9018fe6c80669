import CTesseraJPEG
import ImageFormats
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("JPEG scans in step")
struct JPEGSampleRowsTests {
    static let jpegtran = CommandLineTool("jpegtran")

    /// The pixels of a file of 8 bits as our decoder makes them, without alpha.
    static func decode(_ file: [UInt8]) throws -> [UInt8] {
        let rows = try JPEGCoefficientRows(
            JPEGStructure(of: file.span.bytes), head: file.span.bytes, data: file.span.bytes, from: 0)
        let layout = rows.layout
        var samples = JPEGSampleRows(rows, bits: 8, from: 0)
        let channels = layout.components.count == 3 ? 4 : 1
        var row = [UInt8](repeating: 0, count: layout.width * channels)
        var pixels: [UInt8] = []
        for y in 0..<layout.height {
            samples.fillLines(y, file.span.bytes)
            row.withUnsafeMutableBytes { samples.writePixels(0..<layout.width, isYCC: true, to: $0.baseAddress!) }
            pixels += row.enumerated().filter { channels == 1 || $0.offset % 4 != 3 }.map(\.element)
        }
        #expect(samples.failure == nil && samples.soundRowCount >= layout.height)
        return pixels
    }

    /// A random legal script of progressive scans.
    static func script(components: Int, _ random: inout SeededGenerator) -> String {
        var queues: [[String]] = []
        func add(_ names: String, _ band: String) {
            let low = Int.random(in: 0...3, using: &random)
            var queue = ["\(names): \(band),0,\(low);"]
            for bit in (0..<low).reversed() { queue.append("\(names): \(band),\(bit + 1),\(bit);") }
            queues.append(queue)
        }
        // DC comes first, of all components at once or of each alone.
        if Bool.random(using: &random) {
            add((0..<components).map(String.init).joined(separator: ","), "0-0")
        } else {
            for index in 0..<components { add("\(index)", "0-0") }
        }
        var script = queues.indices.map { queues[$0].removeFirst() }
        for index in 0..<components {
            var start = 1
            while start < 64 {
                let end = Bool.random(using: &random) ? 63 : min(63, start + Int.random(in: 0...20, using: &random))
                add("\(index)", "\(start)-\(end)")
                start = end + 1
            }
        }
        while let queue = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
            script.append(queues[queue].removeFirst())
        }
        return script.joined(separator: " ")
    }

    static let samplings: [(UInt8, UInt8)] = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2), (3, 1)]

    @Test("Sequential and progressive files decode to djpeg's pixels", .needs(jpegtran, DJPEG.tool))
    func pixels() throws {
        var random = SeededGenerator(1)
        for round in 0..<100 {
            let size = PixelSize(
                width: Int.random(in: 1...90, using: &random), height: Int.random(in: 1...70, using: &random))
            let isGray = round % 8 == 7
            let original = JPEGFixture.file(
                JPEGFixture.Kind(
                    pixels: isGray ? TESSERA_JPEG_PIXELS_GRAY8 : TESSERA_JPEG_PIXELS_RGBA8,
                    subsampling: isGray ? (1, 1) : Self.samplings[round % Self.samplings.count], size: size))
            let restarts = [[], ["-restart", "1"], ["-restart", "5B"]][round % 3]
            let script = Self.script(components: isGray ? 1 : 3, &random)
            let file = try JPEGSharedScansTests.scans(original, script, restarts)
            let expected = try #require(try DJPEG.decode(file)).samples
            #expect(try Self.decode(file) == expected, "round \(round): \(size), \(script)")
            #expect(try Self.decode(original) == expected, "round \(round): \(size)")
        }
    }

    @Test("The components of a sequential file may come one after the other", .needs(jpegtran, DJPEG.tool))
    func separateComponents() throws {
        for sampling in Self.samplings {
            let original = JPEGFixture.file(JPEGFixture.Kind(subsampling: sampling))
            let folder = try TemporaryFolder()
            let script = try folder.write(Array("0; 2; 1;".utf8), to: "scans")
            let file = try #require(
                try Self.jpegtran.output(["-scans", script, folder.write(original, to: "picture.jpg")]))
            #expect(try Self.decode(file) == DJPEG.decode(file)?.samples)
        }
    }
}
