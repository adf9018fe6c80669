import Foundation
import ImageFormats
import Raster
import Tessera
import Testing
import TestSupport

/// Smaller files with the same pixels.
@Suite("tessera optimize")
struct OptimizeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let jpegtran = CommandLineTool("jpegtran")
    private static let djpeg = CommandLineTool("djpeg")
    private static let optipng = CommandLineTool("optipng")

    private func stored(_ file: [UInt8]) throws -> Bitmap {
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16, appliesOrientation: false)
        let decoded = try ImageSource.decode(file, options: options)
        #expect(decoded.error == nil)
        return try decoded.bitmap.converted(to: .rgba16, alpha: .straight)
    }

    @Test(
        "A JPEG is no larger than jpegtran's, and djpeg finds the same pixels", .needs(jpegtran, djpeg),
        arguments: EncodingOptions.JPEG.Subsampling.allCases,
        [
            PixelSize(width: 9, height: 7), PixelSize(width: 300, height: 201),
            // Large enough to be read on several threads.
            PixelSize(width: 1025, height: 771),
        ])
    func optimizesJPEG(_ subsampling: EncodingOptions.JPEG.Subsampling, _ size: PixelSize) throws {
        let options = EncodingOptions(quality: 0.9, jpeg: .init(subsampling: subsampling))
        try folder.write(Pictures.photograph(size).file(.jpeg, options), to: "a.jpg")
        #expect(try Command.run("optimize", "a.jpg", "b.jpg", in: folder).status == 0)
        try #require(
            try Self.jpegtran.run([
                "-copy", "all", "-optimize", "-progressive", "-outfile", folder.file("c.jpg"), folder.file("a.jpg"),
            ]))
        let (old, new) = (try folder.read("a.jpg"), try folder.read("b.jpg"))
        #expect(new.count < old.count)
        #expect(try new.count <= folder.read("c.jpg").count)
        #expect(try Self.djpeg.output([folder.file("a.jpg")]) == Self.djpeg.output([folder.file("b.jpg")]))
    }

    @Test(
        "A large JPEG that is damaged anywhere is refused, or keeps the pixels that djpeg finds",
        .needs(jpegtran, djpeg))
    func damagedJPEG() throws {
        try folder.write(Pictures.photograph(PixelSize(width: 1025, height: 771)).file(.jpeg), to: "whole.jpg")
        let restarting = try Self.jpegtran.output(["-restart", "40B", folder.file("whole.jpg")]) ?? []
        for file in [try folder.read("whole.jpg"), restarting] {
            var random = SeededGenerator(25)
            var refusedCount = 0
            for _ in 0..<12 {
                var damaged = file
                damaged[Int.random(in: 2000..<file.count, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random)
                try folder.write(damaged, to: "a.jpg")
                let outcome = try Command.run("optimize", "a.jpg", "b.jpg", "--force", in: folder)
                guard outcome.status == 0 else {
                    #expect(outcome.status == 1 && outcome.errors.contains("can't be read"), "\(outcome.errors)")
                    refusedCount += 1
                    continue
                }
                // djpeg's status tells of bytes that it has skipped.
                let pixels = try ["a.jpg", "b.jpg"].map { name in
                    try CommandLineTool("sh").output(["-c", "djpeg \"$0\" || true", folder.file(name)])
                }
                #expect(pixels[0] == pixels[1] && !(pixels[0] ?? []).isEmpty)
            }
            #expect(refusedCount > 0)
            try folder.write(file.dropLast(file.count / 3), to: "a.jpg")
            let outcome = try Command.run("optimize", "a.jpg", "c.jpg", in: folder)
            #expect(outcome.status == 1)
            #expect(try !folder.names().contains("c.jpg"))
        }
    }

    /// Pixels that can be stored in fewer bits, and some that can't.
    private static let pictures: [(name: String, picture: @Sendable () throws -> Bitmap)] = [
        ("photograph", { try Pictures.photograph(PixelSize(width: 200, height: 120)) }),
        ("cut-out", { try Pictures.cutout(PixelSize(width: 200, height: 120)) }),
        ("flat", { try Pictures.flat() }), ("ramp", { try Pictures.mask() }),
        ("deep", { try Pictures.photograph().converted(to: .rgba16, alpha: AlphaMode.none) }),
        ("grey in colour", { try Pictures.mask().converted(to: .rgba8, alpha: AlphaMode.none) }),
    ]

    @Test("A PNG keeps every pixel and is no larger than optipng's", .needs(optipng), arguments: pictures.indices)
    func optimizesPNG(_ index: Int) throws {
        var options = EncodingOptions()
        options.png.reducesColors = false
        options.png.compressionLevel = 3
        try folder.write(Self.pictures[index].picture().file(.png, options), to: "a.png")
        #expect(try Command.run("optimize", "a.png", "b.png", in: folder).status == 0)
        try #require(
            try Self.optipng.run(["-quiet", "-o5", "-out", folder.file("c.png"), folder.file("a.png")]))
        let (old, new) = (try folder.read("a.png"), try folder.read("b.png"))
        #expect(new.count <= old.count)
        #expect(try new.count <= folder.read("c.png").count)
        let (before, after) = (try stored(old), try stored(new))
        #expect(before.size == after.size)
        for y in 0..<before.height {
            let (one, other) = (before.rows.bytes(y), after.rows.bytes(y))
            #expect(
                (0..<one.byteCount).allSatisfy {
                    one.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
                        == other.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
                })
        }
    }

    @Test("A file that can't be made smaller is copied, and left alone in place", arguments: ["jpg", "png"])
    func neverGetsLarger(_ name: String) throws {
        let format: ImageFormat = name == "jpg" ? .jpeg : .png
        try folder.write(Pictures.photograph().file(format), to: "a.\(name)")
        #expect(try Command.run("optimize", "a.\(name)", "b.\(name)", in: folder).status == 0)
        let outcome = try Command.run("optimize", "b.\(name)", "c.\(name)", "--json", in: folder)
        #expect(outcome.text.contains("\"changed\":false"))
        #expect(try folder.read("c.\(name)") == folder.read("b.\(name)"))
        let number =
            try FileManager.default.attributesOfItem(atPath: folder.file("b.\(name)"))[.systemFileNumber] as? Int
        #expect(try Command.run("optimize", "b.\(name)", "--in-place", in: folder).status == 0)
        let later =
            try FileManager.default.attributesOfItem(atPath: folder.file("b.\(name)"))[.systemFileNumber] as? Int
        #expect(number == later)
    }

    @Test("--strip removes what it names and keeps the orientation", arguments: ["jpg", "png"])
    func strips(_ name: String) throws {
        let metadata = ImageMetadata(
            orientation: .right, xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8),
            resolution: .init(horizontal: 300, vertical: 300))
        let options = EncodingOptions(embeddedThumbnailSize: 32, metadata: metadata)
        try folder.write(
            Pictures.photograph().file(name == "jpg" ? .jpeg : .png, options), to: "a.\(name)")
        let hasThumbnail = try ImageSource.header(of: folder.read("a.\(name)")).metadata.embeddedThumbnail != nil
        for (strip, keepsAll) in [("nothing", true), ("metadata", false), ("all", false)] {
            let outcome = try Command.run(
                "optimize", "a.\(name)", "b.\(name)", "--force", "--strip", strip, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let kept = try ImageSource.header(of: folder.read("b.\(name)")).metadata
            #expect(kept.orientation == .right)
            #expect((kept.xmp != nil) == keepsAll)
            #expect((kept.embeddedThumbnail != nil) == (keepsAll && hasThumbnail))
        }
    }

    /// Three pictures of an animation.
    private func animation(_ format: ImageFormat) throws -> [UInt8] {
        let picture = try Pictures.flat()
        let (buffer, turned) = (ByteBuffer(), try picture.oriented(by: .down))
        try ImageDestination(format: format, options: EncodingOptions(isLossless: format == .webP)).encode(
            count: 3, to: buffer
        ) { index in (index == 1 ? turned : picture, 0.1 + Double(index)) }
        return buffer.bytes
    }

    @Test("Animations keep frames and times, and folders are walked", arguments: ["gif", "png", "webp"])
    func optimizesAnimations(_ name: String) throws {
        let format = try #require(ImageFormat(filenameExtension: name))
        try folder.write(animation(format), to: "in/a.\(name)")
        let outcome = try Command.run("optimize", "in", "--output-dir", "out", "--json", in: folder)
        #expect(outcome.status == 0 && outcome.text.contains("\"format\":\"\(format.name)\""), "\(outcome.errors)")
        let (old, new) = (
            try AnimatedImageSource(folder.read("in/a.\(name)")), try AnimatedImageSource(folder.read("out/a.\(name)"))
        )
        #expect(try folder.read("out/a.\(name)").count <= folder.read("in/a.\(name)").count)
        #expect(new.frames.map(\.storedDuration) == old.frames.map(\.storedDuration) && new.frames.count == 3)
        for index in 0..<3 {
            #expect(try new.frame(at: index).meanDifference(from: old.frame(at: index)) == 0)
        }
    }

    @Test("--dry-run says what would be saved and writes nothing")
    func tries() throws {
        try folder.write(Pictures.photograph(PixelSize(width: 300, height: 200)).file(.jpeg), to: "a.jpg")
        try folder.write(Pictures.photograph().file(.png), to: "b.png")
        let (before, file) = (try folder.names(), try folder.read("a.jpg"))
        let outcome = try Command.run("optimize", "a.jpg", "b.png", "--in-place", "--dry-run", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("a.jpg: ") && outcome.errors.contains("2 of 2 files would be optimized"))
        #expect(try folder.names() == before && folder.read("a.jpg") == file)
    }

    @Test(
        "Other formats and damaged files are refused",
        arguments: [
            Refusal(
                "a.qoi", "b.qoi", status: 1,
                says: "optimize makes JPEG, PNG, GIF and WebP files smaller, and this is a QOI"),
            Refusal("cut.gif", "b.gif", status: 1, says: "cut.gif: "),
            Refusal("cut.webp", "b.webp", status: 1, says: "cut.webp: "),
            Refusal("cut.apng", "b.png", status: 1, says: "cut.apng: "),
            Refusal("cut.png", "b.png", status: 1, says: "cut.png: "),
            Refusal("damaged.png", "b.png", status: 1, says: "the checksum of the PNG chunk IDAT is wrong"),
            Refusal("cut.jpg", "b.jpg", status: 1, says: "cut.jpg: "),
            Refusal("a.png", "b.jpg", status: 1, says: "b.jpg would be a PNG"),
            Refusal("a.png", "b.png", "--limits", "memory=1K", status: 1, says: "--limits memory=NUMBER"),
            Refusal("a.png", "b.png", "--strip", "some", says: "some"),
            Refusal("a.png", "c.png", "b.png", says: "--in-place"),
        ])
    func refusals(_ refusal: Refusal) throws {
        let picture = try Pictures.photograph()
        let png = try picture.file(.png)
        try folder.write(png, to: "a.png")
        try folder.write(png.dropLast(20), to: "cut.png")
        var damaged = png
        damaged[png.count / 2] ^= 1
        try folder.write(damaged, to: "damaged.png")
        try folder.write(picture.file(.jpeg).dropLast(20), to: "cut.jpg")
        try folder.write(picture.file(.qoi), to: "a.qoi")
        try folder.write(picture.file(.gif).dropLast(20), to: "cut.gif")
        try folder.write(picture.file(.webP, EncodingOptions(isLossless: true)).dropLast(20), to: "cut.webp")
        try folder.write(animation(.png).dropLast(40), to: "cut.apng")
        let before = try folder.names()
        let outcome = try Command.run(["optimize"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status, "\(outcome.errors)")
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(try folder.names() == before)
    }
}
