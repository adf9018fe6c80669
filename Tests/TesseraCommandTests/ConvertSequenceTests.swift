import Foundation
import Tessera
import TestSupport
import Testing

/// Files of several pictures.
@Suite struct ConvertSequenceTests {
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

    @Test(arguments: ["copy.png", "party.gif", "party.webp", "party.jxl", "party.avif"])
    func keepsFramesDelaysAndLoops(name: String) throws {
        let outcome = try Command.run("convert", "party.png", name, "--lossless", in: folder)
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

    @Test func picksOneFrame() throws {
        #expect(try Command.run("convert", "party.png", "frame.png", "--frame", "1", in: folder).status == 0)
        let decoded = try ImageSource.decode(folder.read("frame.png"))
        #expect(decoded.header.sequence == nil)
        #expect(
            try decoded.bitmap.tightBytes()
                == frames[1].converted(to: decoded.bitmap.format, alpha: decoded.bitmap.alpha).tightBytes())
    }

    @Test func refusesAFrameThatIsNotThere() throws {
        let outcome = try Command.run("convert", "party.png", "frame.png", "--frame", "3", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("party.png: "))
        #expect(try folder.names() == ["party.png"])
        #expect(try Command.run("convert", "party.png", "frame.png", "--frame", "-1", in: folder).status == 64)
        #expect(try Command.run("convert", "party.png", "a.png", "--frame", "0", "--frames", in: folder).status == 64)
    }

    @Test func writesEachFrameToAFileOfItsOwn() throws {
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

    @Test func saysThatAFormatTakesOnlyOne() throws {
        let outcome = try Command.run("convert", "party.png", "party.jpg", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("party.png holds 3 frames, of which JPEG takes one; --frames writes each"))
    }

    @Test func playsAsOftenAsAsked() throws {
        #expect(try Command.run("convert", "party.png", "party.gif", "--loop", "0", in: folder).status == 0)
        #expect(try AnimatedImageSource(folder.read("party.gif")).loopCount == 0)
    }

    @Test func keepsPages() throws {
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
