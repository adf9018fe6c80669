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

    @Test("BMP, icons, XBM, QOI and TIFF", .needs(program), arguments: BitmapBombs.all)
    func bitmaps(bomb: Bomb) throws {
        guard Self.isRead(bomb) else { return }
        try Self.check(bomb)
    }

    @Test("Pyramids", .needs(program), arguments: PyramidBombs.all)
    func pyramids(bomb: Bomb) throws { try Self.check(bomb) }

    @Test("HEIC, AVIF and JPEG XL", .needs(program), arguments: BoxBombs.all)
    func boxes(bomb: Bomb) throws { try Self.check(bomb) }

    @Test("SVG", .needs(program), .timeLimit(.minutes(15)), arguments: SVGBombs.all)
    func svg(bomb: Bomb) throws {
        guard CodecRegistry.default.canDecode(.svg) else { return }
        try Self.check(bomb)
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
