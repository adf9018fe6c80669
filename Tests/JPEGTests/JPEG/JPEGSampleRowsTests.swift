import CTesseraJPEG
import ImageFormats
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("JPEG scans in step")
struct JPEGSampleRowsTests {
    /// The pixels of a file of 8 bits as our decoder makes them: grey, RGBA or CMYK.
    /// - Parameters:
    ///   - side: Pixels on a block's side.
    ///   - scanCount: How many scans to read; nil for all.
    static func decode(_ file: [UInt8], side: Int = 8, scanCount: Int? = nil, isYCC: Bool = true) throws -> [UInt8] {
        let bytes = file.span.bytes
        let script = try JPEGScanScript(
            JPEGStructure(of: bytes), head: bytes, data: bytes, from: 0, scanCount: scanCount)
        // A preview doesn't read what it doesn't need.
        let omitted = scanCount == nil ? nil : JPEGSampleRows.needsOnlyDC(script.layout, side: side)
        var samples = JPEGSampleRows(
            JPEGCoefficientRows(script, omittingDetail: omitted), bits: 8, side: side, from: 0)
        let channels = script.layout.components.count == 1 ? 1 : 4
        var row = [UInt8](repeating: 0, count: samples.width * channels)
        var pixels: [UInt8] = []
        for y in 0..<samples.height {
            samples.fillLines(y, file.span.bytes, from: 0)
            row.withUnsafeMutableBytes { samples.writePixels(0..<samples.width, isYCC: isYCC, to: $0.baseAddress!) }
            pixels += row
        }
        #expect(samples.failure == nil && samples.soundRowCount >= samples.height)
        return pixels
    }

    static func withoutAlpha(_ pixels: [UInt8]) -> [UInt8] {
        pixels.enumerated().filter { $0.offset % 4 != 3 }.map(\.element)
    }

    static let samplings: [(UInt8, UInt8)] = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2), (3, 1)]

    @Test("Sequential and progressive files decode to djpeg's pixels", .needs(JPEGScans.jpegtran, DJPEG.tool))
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
            let script = JPEGScans.script(components: isGray ? 1 : 3, &random)
            let file = try JPEGScans.file(original, script, restarts)
            let expected = try #require(try DJPEG.decode(file)).samples
            for file in [file, original] {
                let pixels = try Self.decode(file)
                #expect(
                    (isGray ? pixels : Self.withoutAlpha(pixels)) == expected, "round \(round): \(size), \(script)")
            }
        }
    }

    @Test("Every size, kind of pixels and script gives libjpeg's pixels", .needs(JPEGScans.jpegtran))
    func reduced() throws {
        var random = SeededGenerator(4)
        for round in 0..<84 {
            let size = PixelSize(
                width: Int.random(in: 1...90, using: &random), height: Int.random(in: 1...70, using: &random))
            let kind = [
                TESSERA_JPEG_PIXELS_RGBA8, TESSERA_JPEG_PIXELS_RGBA8, TESSERA_JPEG_PIXELS_GRAY8,
                TESSERA_JPEG_PIXELS_CMYK8,
            ][round % 4]
            let original = JPEGFixture.file(
                JPEGFixture.Kind(
                    pixels: kind,
                    subsampling: kind == TESSERA_JPEG_PIXELS_GRAY8 ? (1, 1) : Self.samplings[round / 2 % 7], size: size)
            )
            let components = [1: 1, 2: 3, 3: 4][kind]!
            let script = JPEGScans.script(components: components, &random)
            var file = try JPEGScans.file(original, script, [[], ["-restart", "1"], ["-restart", "5B"]][round % 3])
            let isInks = kind == TESSERA_JPEG_PIXELS_CMYK8
            if isInks, round % 8 == 7 { file = try JPEGScans.asYCCK(file) }
            let isYCC = !isInks || round % 8 == 7
            for side in [8, 4, 2, 1] {
                let expected = JPEGScans.decode(file, pixels: kind, eighths: UInt8(side))
                for file in [file, original] {
                    let pixels = try Self.decode(file, side: side, isYCC: isYCC)
                    #expect(pixels == expected, "round \(round): \(size), \(side)/8, \(script)")
                }
            }
        }
    }

    @Test("A preview has the coefficients of the scans so far", .needs(JPEGScans.jpegtran))
    func previews() throws {
        var random = SeededGenerator(5)
        for round in 0..<14 {
            let original = JPEGFixture.file(
                JPEGFixture.Kind(subsampling: Self.samplings[round % 7], size: PixelSize(width: 75, height: 61)))
            let script = JPEGScans.script(components: 3, &random)
            let file = try JPEGScans.file(original, script)
            let scanCount = JPEGStructure(of: file.span.bytes).scanCount
            // A component without a scan has no quantisation table that jpegtran could write.
            for count in Set([3, 4, scanCount / 2, scanCount]).filter({ 3...scanCount ~= $0 }) {
                // libjpeg would smooth a file that lacks scans.
                let known = try JPEGScans.sequential(JPEGScans.prefix(file, scans: count))
                for side in [8, 4, 2, 1] {
                    let expected = JPEGScans.decode(known, pixels: TESSERA_JPEG_PIXELS_RGBA8, eighths: UInt8(side))
                    #expect(
                        try Self.decode(file, side: side, scanCount: count) == expected,
                        "\(count) scans, \(side)/8, \(script)")
                }
            }
        }
    }

    @Test("The components of a sequential file may come one after the other", .needs(JPEGScans.jpegtran, DJPEG.tool))
    func separateComponents() throws {
        for sampling in Self.samplings {
            let original = JPEGFixture.file(JPEGFixture.Kind(subsampling: sampling))
            let folder = try TemporaryFolder()
            let script = try folder.write(Array("0; 2; 1;".utf8), to: "scans")
            let file = try #require(
                try JPEGScans.jpegtran.output(["-scans", script, folder.write(original, to: "picture.jpg")]))
            #expect(try Self.withoutAlpha(Self.decode(file)) == DJPEG.decode(file)?.samples)
        }
    }
}
