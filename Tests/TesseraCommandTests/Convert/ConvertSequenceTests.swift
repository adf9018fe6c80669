import Foundation
import ImageFormats
import Raster
import Tessera
import TestSupport
import Testing

/// Files of several pictures.
@Suite("tessera convert: animations and pages")
struct ConvertSequenceTests {
    private let folder: TemporaryFolder
    private let frames: [Bitmap]

    init() throws {
        folder = try TemporaryFolder()
        let photograph = try Pictures.photograph()
        frames = try [
            photograph, photograph.oriented(by: .upMirrored), photograph.oriented(by: .down),
        ]
        let (buffer, pictures) = (ByteBuffer(), frames)
        try ImageDestination(format: .png, options: EncodingOptions(loopCount: 3)).encode(count: 3, to: buffer) {
            index in
            (pictures[index], 0.1 * Double(index + 1))
        }
        try folder.write(buffer.bytes, to: "party.png")
    }

    @Test(
        "Frames, delays and loops are kept",
        arguments: ["copy.png", "party.gif", "party.webp", "party.jxl", "party.avif"])
    func keepsFramesDelaysAndLoops(name: String) throws {
        let outcome = try Command.run(
            ["convert", "party.png", name] + (name.hasSuffix("gif") ? [] : ["--lossless"]), in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        let source = try AnimatedImageSource(folder.read(name))
        #expect(source.frames.map { ($0.duration * 1000).rounded() } == [100, 200, 300])
        // AVIF, as libavif 0.11 writes it, says nothing of loops.
        #expect(name.hasSuffix("avif") || source.loopCount == 3)
        #expect(source.error == nil)
        // GIF has to make do with 256 colours.
        guard !name.hasSuffix("gif") else { return }
        for (index, frame) in frames.enumerated() {
            let shown = try source.frame(at: index).converted(to: .rgba8, alpha: .straight)
            #expect(try shown.tightBytes() == frame.converted(to: .rgba8, alpha: .straight).tightBytes())
        }
    }

    @Test(
        "A truncated still image in a format with frames is written as far as it goes",
        arguments: ["png", "webp", "gif", "jpg"])
    func partialStill(output: String) throws {
        let bytes = try Pictures.photograph().file(.gif)
        try folder.write(Array(bytes.prefix(bytes.count * 3 / 4)), to: "cut.gif")
        #expect(try Command.run("convert", "cut.gif", "part.\(output)", in: folder).status == 1)
        let outcome = try Command.run("convert", "cut.gif", "part.\(output)", "--partial", in: folder)
        #expect(outcome.status == 0 && outcome.errors.hasPrefix("cut.gif is damaged: "), "\(outcome.errors)")
        #expect(try ImageSource.header(of: folder.read("part.\(output)")).size == PixelSize(width: 60, height: 40))
    }

    @Test("Frames before a damaged one are written", arguments: ["png", "webp", "gif"])
    func partialAnimation(output: String) throws {
        let frames = frames
        let buffer = ByteBuffer()
        try ImageDestination(format: .gif).encode(count: 3, to: buffer) { (frames[$0], 0.1) }
        try folder.write(Array(buffer.bytes.dropLast(300)), to: "cut.gif")
        let outcome = try Command.run("convert", "cut.gif", "part.\(output)", "--partial", in: folder)
        #expect(outcome.status == 0 && outcome.errors.hasPrefix("cut.gif is damaged: "), "\(outcome.errors)")
        #expect(try AnimatedImageSource(folder.read("part.\(output)")).frames.count == 2)
    }

    @Test("Pages with any rows are written")
    func partialPages() throws {
        let pictures = try [16, 24, 32].map { try Pictures.cutout(PixelSize(width: $0, height: $0)) }
        let buffer = ByteBuffer()
        try ImageDestination(format: .ico).encode(count: 3, to: buffer) { (pictures[$0], 0) }
        // Of the last one a few rows, and all of it: its pixels take 4096 bytes.
        for (missing, count) in [(3000, 3), (4300, 2)] {
            try folder.write(Array(buffer.bytes.dropLast(missing)), to: "cut.ico")
            #expect(try Command.run("convert", "cut.ico", "part.tif", in: folder).status == 1)
            let outcome = try Command.run("convert", "cut.ico", "part.tif", "--partial", "--force", in: folder)
            #expect(outcome.status == 0 && outcome.errors.hasPrefix("cut.ico is damaged: "), "\(outcome.errors)")
            #expect(try ImageSource.header(of: folder.read("part.tif")).sequence == ImageSequence(.pages, count: count))
        }
    }

    @Test("One frame is picked")
    func picksOneFrame() throws {
        #expect(try Command.run("convert", "party.png", "frame.png", "--frame", "1", in: folder).status == 0)
        let decoded = try ImageSource.decode(folder.read("frame.png"))
        #expect(decoded.header.sequence == nil)
        #expect(
            try decoded.bitmap.tightBytes()
                == frames[1].converted(to: decoded.bitmap.format, alpha: decoded.bitmap.alpha).tightBytes())
    }

    @Test("A missing frame is refused")
    func refusesAFrameThatIsNotThere() throws {
        let outcome = try Command.run("convert", "party.png", "frame.png", "--frame", "3", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("party.png: "))
        #expect(try folder.names() == ["party.png"])
        #expect(try Command.run("convert", "party.png", "frame.png", "--frame", "-1", in: folder).status == 64)
        #expect(try Command.run("convert", "party.png", "a.png", "--frame", "0", "--frames", in: folder).status == 64)
    }

    @Test("Each frame is written to a file")
    func writesEachFrameToAFileOfItsOwn() throws {
        let outcome = try Command.run("convert", "party.png", "frame.jpg", "--frames", "--size", "30x30", in: folder)
        #expect(outcome.status == 0)
        #expect(try folder.names() == ["frame-0.jpg", "frame-1.jpg", "frame-2.jpg", "party.png"])
        for index in 0..<3 {
            #expect(
                try ImageSource.header(of: folder.read("frame-\(index).jpg")).size == PixelSize(width: 30, height: 20))
        }
        let again = try Command.run("convert", "party.png", "frame.jpg", "--frames", in: folder)
        #expect(again.status == 1 && again.errors.contains("frame-0.jpg exists already"))
    }

    @Test("A format of a single image is reported")
    func saysThatAFormatTakesOnlyOne() throws {
        let outcome = try Command.run("convert", "party.png", "party.jpg", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("party.png holds 3 frames, of which JPEG takes one; --frames writes each"))
    }

    @Test("The loop count is set on request")
    func playsAsOftenAsAsked() throws {
        #expect(try Command.run("convert", "party.png", "party.gif", "--loop", "0", in: folder).status == 0)
        #expect(try AnimatedImageSource(folder.read("party.gif")).loopCount == 0)
    }

    @Test("A GIF's later frames are found")
    func findsFramesThatAGIFSaysNothingOfAtFirst() throws {
        // Played once, which takes no extension, and noise, of which the first frame takes more than is read at a time.
        var noise = try MutableBitmap(BitmapInfo(size: PixelSize(width: 560, height: 560), format: .gray8))
        noise.withMutableRows(0..<560) { rows in
            for y in 0..<560 {
                var row = rows.row(y, as: Gray8.self)
                for x in 0..<560 {
                    row[x] = Gray8(UInt8(truncatingIfNeeded: (x &* 7919 ^ y &* 104_729) &* 2_654_435_761 >> 13))
                }
            }
        }
        let (buffer, first) = (ByteBuffer(), noise.freeze())
        let second = try first.oriented(by: .down)
        let options = EncodingOptions(loopCount: 1, gif: EncodingOptions.GIF(isDithered: false))
        try ImageDestination(format: .gif, options: options).encode(count: 2, to: buffer) { index in
            (index == 0 ? first : second, 0.1)
        }
        #expect(try ImageSource.header(of: Source(buffer.bytes)).sequence == nil)
        try folder.write(buffer.bytes, to: "noise.gif")
        let outcome = try Command.run("convert", "noise.gif", "noise.png", "--compression-level", "0", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(try AnimatedImageSource(folder.read("noise.png")).frames.count == 2)
    }

    @Test("Frames are kept where a JPEG would be recoded", arguments: ["all", "none"])
    func keepsFramesWhereAJPEGWouldBeRecoded(keeping: String) throws {
        let outcome = try Command.run("convert", "party.png", "a.jxl", "--lossless", "--keep", keeping, in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(try AnimatedImageSource(folder.read("a.jxl")).frames.count == 3)
        // Its first picture, where JPEG takes but one.
        let one = try Command.run("convert", "party.png", "a.jpg", "--keep", keeping, in: folder)
        #expect(one.status == 0)
        #expect(try ImageSource.header(of: folder.read("a.jpg")).size == frames[0].size)
    }

    @Test("A pipe is read once", arguments: ["party.png", "scan.tif"])
    func readsAPipeOnce(name: String) throws {
        if name == "scan.tif" {
            let (buffer, pictures) = (ByteBuffer(), frames)
            try ImageDestination(format: .tiff).encode(count: 3, to: buffer) { index in (pictures[index], 0) }
            try folder.write(buffer.bytes, to: name)
        }
        let copy = "copy.\(name.suffix(3))"
        let outcome = try Command.run(
            ["-c", "mkfifo pipe; cat \(name) > pipe & exec \(Command.program) convert pipe \(copy)"], in: folder,
            program: "/bin/sh")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ImageSource.header(of: folder.read(copy)).sequence?.count == 3)
    }

    @Test("Pages are kept")
    func keepsPages() throws {
        let (buffer, pictures) = (ByteBuffer(), frames)
        try ImageDestination(format: .tiff).encode(count: 3, to: buffer) { index in (pictures[index], 0) }
        try folder.write(buffer.bytes, to: "scan.tif")
        #expect(
            try Command.run("convert", "scan.tif", "copy.tif", "--tiff-compression", "deflate", in: folder).status == 0)
        let copy = try folder.read("copy.tif")
        #expect(try ImageSource.header(of: copy).sequence == ImageSequence(.pages, count: 3))
        for (index, frame) in frames.enumerated() {
            let page = try ImageSource.decode(copy, options: DecodingOptions(imageIndex: index)).bitmap
            #expect(try page.tightBytes() == frame.converted(to: page.format, alpha: page.alpha).tightBytes())
        }
        let one = try Command.run("convert", "scan.tif", "scan.gif", in: folder)
        #expect(one.status == 0 && one.errors.contains("scan.tif holds 3 pictures, of which GIF takes one"))
    }
}
