import Foundation
import ImageFormats
import TestSupport
import Testing

/// Every file is read by a process of its own, which says what it took at the most.
@Suite("Files that claim more than they are")
struct BombTests {
    private static let program = BuiltProgram("BombDecoder").tool

    @Test("PNG and APNG", .needs(program), arguments: PNGBombs.all)
    func png(bomb: Bomb) throws { try Self.check(bomb) }

    @Test("JPEG, its blocks of metadata, and JPNG", .needs(program), arguments: JPEGBombs.all)
    func jpeg(bomb: Bomb) throws { try Self.check(bomb) }

    @Test("GIF and WebP", .needs(program), arguments: AnimationBombs.all)
    func animations(bomb: Bomb) throws {
        guard Self.isRead(bomb) else { return }
        try Self.check(bomb)
    }

    @Test("BMP, icons, XBM, QOI, PNM, TGA, PSD, HDR and TIFF", .needs(program), arguments: BitmapBombs.all)
    func bitmaps(bomb: Bomb) throws {
        guard Self.isRead(bomb) else { return }
        try Self.check(bomb)
    }

    @Test("Pyramids", .needs(program), arguments: PyramidBombs.all)
    func pyramids(bomb: Bomb) throws { try Self.check(bomb) }

    @Test("HEIC, AVIF, JPEG XL and JPEG 2000", .needs(program), arguments: BoxBombs.all)
    func boxes(bomb: Bomb) throws { try Self.check(bomb) }

    @Test("PDF", .needs(program, CommandLineTool("pdftocairo")), .timeLimit(.minutes(15)), arguments: PDFBombs.all)
    func pdf(bomb: Bomb) throws {
        guard CodecRegistry.default.canDecode(.pdf) else { return }
        try Self.check(bomb)
    }

    @Test("SVG", .needs(program), .timeLimit(.minutes(15)), arguments: SVGBombs.all)
    func svg(bomb: Bomb) throws {
        guard CodecRegistry.default.canDecode(.svg) else { return }
        try Self.check(bomb)
    }

    @Test(
        "Ten gigapixels are reduced to a thousand pixels a side in little memory", .needs(program),
        .timeLimit(.minutes(10)),
        .enabled(if: !Sanitizer.isOn && CodecRegistry.default.canDecode(.tiff)))
    func tenGigapixels() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("large.tiff")
        // A BigTIFF of 100 strips, of which the disk has nothing but the directory.
        let (side, stripCount, entryCount) = (100_000, 100, 9)
        let offsets = 16 + 8 + entryCount * 20 + 8
        let (counts, pixels) = (offsets + stripCount * 8, offsets + stripCount * 16)
        let stripByteCount = side * side / stripCount
        var bytes: [UInt8] = [0x49, 0x49, 43, 0, 8, 0, 0, 0]
        bytes += Bytes.little(16, 8) + Bytes.little(entryCount, 8)
        for (tag, type, count, value) in [
            (256, 4, 1, side), (257, 4, 1, side), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
            (273, 16, stripCount, offsets), (277, 3, 1, 1), (278, 4, 1, side / stripCount),
            (279, 16, stripCount, counts),
        ] {
            bytes += Bytes.little(tag, 2) + Bytes.little(type, 2) + Bytes.little(count, 8) + Bytes.little(value, 8)
        }
        bytes += Bytes.little(0, 8)
        for strip in 0..<stripCount { bytes += Bytes.little(pixels + strip * stripByteCount, 8) }
        for _ in 0..<stripCount { bytes += Bytes.little(stripByteCount, 8) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(pixels + side * side))
        try file.close()

        let output = String(decoding: try Self.program.output(["pipeline", path]) ?? [], as: UTF8.self)
        let fields = output.split(separator: "\t", omittingEmptySubsequences: false)
        #expect(fields.first == "read", "\(output)")
        let byteCount = try #require(fields.count == 3 ? Int(fields[1]) : nil)
        #expect(byteCount < 200_000_000, "\(byteCount) bytes")
    }

    /// Whether there is a codec for it in this build.
    private static func isRead(_ bomb: Bomb) -> Bool {
        let name = bomb.testDescription.prefix { $0 != "," }
        return switch name {
        case "WebP": CodecRegistry.default.canDecode(.webP)
        case "TIFF": CodecRegistry.default.canDecode(.tiff)
        default: true
        }
    }

    private static func check(_ bomb: Bomb) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try bomb.make(), to: "bomb.\(bomb.filenameExtension)")
        for way in bomb.ways {
            // Nothing at all is what a program that crashed has said.
            let output = String(decoding: try program.output([way, path]) ?? [], as: UTF8.self)
            let fields = output.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 3, let byteCount = Int(fields[1]) else {
                Issue.record("\(bomb.testDescription), \(way): the program ended with \"\(output)\"")
                continue
            }
            let codes = bomb.codes.isEmpty ? ["read"] : bomb.codes
            #expect(codes.contains(fields[0]), "\(bomb.testDescription), \(way): \(output)")
            #expect(Sanitizer.isOn || byteCount <= bomb.byteLimit, "\(bomb.testDescription), \(way): \(output)")
        }
    }
}
