#if JPEG2000
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("JPEG 2000: damaged and hostile files")
struct JPEG2000DamageTests {
    /// The start of a codestream: SIZ of these numbers, and COD of one layer and these levels.
    private func head(
        width: Int = 64, height: Int = 64, left: Int = 0, top: Int = 0, tile: (Int, Int) = (64, 64),
        origin: (Int, Int) = (0, 0), components: [[UInt8]] = [[7, 1, 1]], layers: Int = 1, levels: UInt8 = 5,
        style: [UInt8] = [4, 4, 0, 1], precincts: [UInt8] = []
    ) -> [UInt8] {
        let numbers = [width, height, left, top, tile.0, tile.1, origin.0, origin.1].flatMap { Boxes.big($0, 4) }
        let size = [0, 0] + numbers + Boxes.big(components.count, 2) + components.flatMap { $0 }
        let coding: [UInt8] =
            [precincts.isEmpty ? 0 : 1, 0] + Boxes.big(layers, 2) + [0, levels] + style + precincts
        return [0xFF, 0x4F] + segment(0xFF51, size) + segment(0xFF52, coding)
            + segment(0xFF5C, [0x40] + [UInt8](repeating: 0x40, count: 3 * Int(levels) + 1))
    }

    private func segment(_ marker: Int, _ bytes: [UInt8]) -> [UInt8] {
        Boxes.big(marker, 2) + Boxes.big(bytes.count + 2, 2) + bytes
    }

    /// A tile-part of these bytes.
    private func tilePart(_ tile: Int = 0, _ bytes: [UInt8] = [0x80], length: Int? = nil) -> [UInt8] {
        let contents = [0xFF, 0x93] + bytes
        return segment(0xFF90, Boxes.big(tile, 2) + Boxes.big(length ?? contents.count + 12, 4) + [0, 1]) + contents
    }

    private func code(_ file: [UInt8], _ options: DecodingOptions = DecodingOptions()) -> ImageError.Code? {
        errorCode {
            let decoded = try ImageSource.decode(file, options: options)
            if let error = decoded.error { throw error }
        }
    }

    @Test("A header that can't be is an error of its kind, and nothing is allocated for it")
    func headers() {
        let end: [UInt8] = tilePart() + [0xFF, 0xD9]
        let most = Int(Int32.max)
        let cases: [(String, [UInt8], ImageError.Code)] = [
            ("no size", head(width: 0), .corrupt), ("left of its left edge", head(left: 65), .corrupt),
            ("2^32-1 on a side", head(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF), .unsupported),
            ("2^31-1 on a side", head(width: most, height: most, tile: (most, most)), .limitExceeded),
            ("a gigapixel and more", head(width: 40_000, height: 40_000, tile: (40_000, 40_000)), .limitExceeded),
            ("tiles of no size", head(tile: (0, 64)), .corrupt),
            ("tiles beyond the image", head(origin: (70, 0)), .corrupt),
            ("65,536 tiles", head(width: 256, height: 256, tile: (1, 1)), .corrupt),
            ("no components", head(components: []), .corrupt),
            ("no sampling", head(components: [[7, 0, 1]]), .corrupt),
            ("38 bits", head(components: [[37, 1, 1]]), .unsupported),
            ("100 bits", head(components: [[99, 1, 1]]), .corrupt), ("33 levels", head(levels: 33), .corrupt),
            ("blocks of 2^17", head(style: [15, 4, 0, 1]), .corrupt), ("no layers", head(layers: 0), .corrupt),
            ("missing precincts", head(precincts: [0x44, 0x44]), .corrupt),
            ("precincts of one sample", head(precincts: [UInt8](repeating: 0, count: 6)), .corrupt),
            ("no coding style", Array(head().prefix(45)), .corrupt),
        ]
        for (name, bytes, expected) in cases { #expect(code(bytes + end) == expected, "\(name)") }
    }

    @Test("Structures that would take more than the working memory are refused")
    func structures() {
        // Small enough for the pixels not to be out of proportion to the file.
        let side = 4096
        let tiny = [UInt8](repeating: 0x11, count: 6)
        let cases: [(String, [UInt8])] = [
            ("precincts of two samples", head(width: side, height: side, tile: (side, side), precincts: tiny)),
            (
                "65,535 layers",
                head(
                    width: side, height: side, tile: (side, side), layers: 65535,
                    precincts: [UInt8](repeating: 0x66, count: 6))
            ),
            (
                "16,384 components",
                head(
                    width: side, height: side, tile: (side, side),
                    components: [[UInt8]](repeating: [7, 1, 1], count: 16_384))
            ),
        ]
        for (name, bytes) in cases {
            #expect(code(bytes + tilePart() + [0xFF, 0xD9]) == .limitExceeded, "\(name)")
        }
        // A tile's own header is counted too.
        let own = segment(0xFF52, [1, 0, 0, 1, 0, 5, 4, 4, 0, 1] + tiny)
        let part = own + [0xFF, 0x93, 0x80]
        let file =
            head(width: side, height: side, tile: (side, side))
            + segment(0xFF90, [0, 0] + Boxes.big(part.count + 12, 4) + [0, 1]) + part
        #expect(code(file) == .limitExceeded)
    }

    @Test("Tile-parts that lead nowhere are errors")
    func tileParts() {
        let start = head()
        let cases: [(String, [UInt8], ImageError.Code)] = [
            ("none", start + [0xFF, 0xD9], .corrupt), ("nothing", start, .truncated),
            ("another tile's", start + tilePart(7) + [0xFF, 0xD9], .corrupt),
            ("too short", start + tilePart(length: 5), .corrupt),
            ("beyond the file", start + tilePart(length: 1 << 30), .truncated),
            ("no marker", start + [0xFF, 0x90, 0, 10], .truncated), ("garbage", start + [1, 2, 3, 4], .corrupt),
        ]
        for (name, file, expected) in cases { #expect(code(file) == expected, "\(name)") }
    }

    @Test("Boxes that lead nowhere are errors")
    func boxes() {
        let stream = head() + tilePart() + [0xFF, 0xD9]
        let header = Boxes.box("jp2h", Boxes.color(16))
        let cases: [(String, [UInt8], ImageError.Code)] = [
            ("no codestream", Boxes.signature + header, .truncated),
            ("a length of 7", Boxes.signature + [0, 0, 0, 7] + Array("free".utf8) + stream, .corrupt),
            ("2^63 bytes", Boxes.signature + [0, 0, 0, 1] + Array("free".utf8) + Boxes.big(Int.max, 8), .corrupt),
            ("a cut length", Boxes.signature + [0, 0, 0], .truncated),
            ("boxes without end", Boxes.signature + (0..<5000).flatMap { _ in Boxes.box("free", []) }, .corrupt),
            ("a codestream that isn't", Boxes.signature + header + Boxes.box("jp2c", [1, 2, 3, 4, 5]), .corrupt),
        ]
        for (name, file, expected) in cases { #expect(code(file) == expected, "\(name)") }
        // Groups in groups are read to a depth of one, and a header beyond the limit isn't read.
        let nested = (0..<2000).reduce(Boxes.color(17)) { boxes, _ in Boxes.box("cgrp", boxes) }
        let file = Boxes.signature + Boxes.box("jp2h", nested) + Boxes.box("jp2c", stream)
        #expect(errorCode { try ImageSource.header(of: Source(file)) } == nil)
        var options = DecodingOptions()
        options.limits.maximumMetadataByteCount = 1000
        #expect(errorCode { try ImageSource.header(of: Source(file), options: options) } == .limitExceeded)
    }

    @Test("A truncated file has an error with its end, and the rows of the tiles before it", .needs(OpenJPEG.compress))
    func truncated() throws {
        let size = PixelSize(width: 100, height: 96)
        let components = (0..<3).map { OpenJPEG.Component.grainy(size, seed: $0) }
        let file = try #require(try OpenJPEG.codestream(components, arguments: ["-t", "100,32"]))
        let whole = try ImageSource.decode(file).bitmap
        let starts = (0..<file.count - 4).filter { Array(file[$0..<$0 + 4]) == [0xFF, 0x90, 0, 10] }
        #expect(starts.count == 3)
        for tile in 0..<3 {
            // The last byte is missing, or half of the tile's.
            let end = tile < 2 ? starts[tile + 1] : file.count - 2
            for count in [end - 1, (starts[tile] + end) / 2] {
                let decoded = try ImageSource.decode(Array(file.prefix(count)))
                #expect(decoded.error?.code == .truncated && decoded.error?.byteOffset == count)
                let sound = PixelRect(x: 0, y: 0, width: 100, height: 32 * tile)
                if tile > 0 {
                    #expect(try decoded.bitmap.cropped(to: sound).tightBytes() == whole.cropped(to: sound).tightBytes())
                }
                // The tile with the end is there, as far as its data goes, and those behind it aren't.
                let cut = PixelRect(x: 0, y: 32 * tile, width: 100, height: 32)
                #expect(try decoded.bitmap.cropped(to: cut).pixels.contains { $0.green > 40 })
                if tile < 2 {
                    let rest = PixelRect(x: 0, y: 32 * tile + 32, width: 100, height: 64 - 32 * tile)
                    #expect(try decoded.bitmap.cropped(to: rest).pixels.allSatisfy { $0.green == 0 })
                }
            }
        }
        for count in 0..<min(200, file.count) {
            let code = code(Array(file.prefix(count)))
            #expect(
                [.truncated, .corrupt, .unknownFormat].contains(code), "\(count) bytes: \(String(describing: code))")
        }
    }

    @Test("Changed bytes end in rows or an error", .needs(OpenJPEG.compress))
    func changed() throws {
        let size = PixelSize(width: 64, height: 64)
        let components = (0..<3).map { OpenJPEG.Component.grainy(size, seed: $0) }
        let stream = try #require(try OpenJPEG.codestream(components, arguments: ["-t", "40,40", "-PLT", "-TLM"]))
        let file = Boxes.file(stream, Boxes.color(16))
        var generator = SeededGenerator(7)
        var options = DecodingOptions()
        options.limits.maximumPixelCount = 1 << 16
        options.limits.maximumWorkingByteCount = 1 << 26
        for _ in 0..<400 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let limit = Bool.random(using: &generator) ? min(300, damaged.count) : damaged.count
                damaged[Int.random(in: 12..<limit, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = code(damaged, options)
        }
    }

    @Test("A second image is a parameter that doesn't fit")
    func secondImage() {
        let file = head() + tilePart() + [0xFF, 0xD9]
        #expect(code(file, DecodingOptions(imageIndex: 1)) == .invalidParameter)
    }
}
#endif
