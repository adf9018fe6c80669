import Foundation
import ImageFormats
import Tessera
import TestSupport
import Testing

/// Effects on many pictures: several files, folders, files of several.
@Suite("tessera effect: many images")
struct EffectManyTests {
    private let folder: TemporaryFolder
    private let frames: [Bitmap]

    init() throws {
        folder = try TemporaryFolder()
        let photograph = try Pictures.photograph()
        frames = try [photograph, photograph.oriented(by: .upMirrored), photograph.oriented(by: .down)]
        let (buffer, pictures) = (ByteBuffer(), frames)
        try ImageDestination(format: .png, options: EncodingOptions(loopCount: 3)).encode(count: 3, to: buffer) {
            index in
            (pictures[index], 0.1 * Double(index + 1))
        }
        try folder.write(buffer.bytes, to: "party.png")
    }

    private func shown(_ index: Int, _ chain: EffectChain) throws -> [UInt8] {
        try Image(frames[index]).applying(chain).bitmap().converted(to: .rgba8, alpha: .straight).tightBytes()
    }

    @Test("Effects apply to every frame, and delays and loops are kept")
    func appliesToEveryFrameAndKeepsDelaysAndLoops() throws {
        let outcome = try Command.run(
            "effect", "party.png", "out.webp", "--lossless", "--fit", "30x30", "--grayscale", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
        let source = try AnimatedImageSource(folder.read("out.webp"))
        #expect(source.frames.map { ($0.duration * 1000).rounded() } == [100, 200, 300])
        #expect(source.loopCount == 3)
        for index in frames.indices {
            let frame = try source.frame(at: index).converted(to: .rgba8, alpha: .straight)
            #expect(frame.size == PixelSize(width: 30, height: 20))
            #expect(try frame.tightBytes() == shown(index, [.scaleToFit(width: 30, height: 30), .grayscale]))
        }
    }

    @Test("Each frame is written to a file")
    func writesEachFrameToAFileOfItsOwn() throws {
        let outcome = try Command.run(
            "effect", "party.png", "frame.png", "--frames", "--flip", "horizontal", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.names() == ["frame-0.png", "frame-1.png", "frame-2.png", "party.png"])
        for index in frames.indices {
            let frame = try ImageSource.decode(folder.read("frame-\(index).png")).bitmap
            #expect(
                try frame.converted(to: .rgba8, alpha: .straight).tightBytes() == shown(index, [.flip(.horizontal)]))
        }
    }

    @Test("One frame is picked")
    func picksOneFrame() throws {
        let outcome = try Command.run(
            "effect", "party.png", "one.png", "--frame", "1", "--crop", "0,0,9,7", in: folder)
        #expect(outcome.status == 0)
        let frame = try ImageSource.decode(folder.read("one.png"))
        #expect(frame.header.sequence == nil)
        #expect(
            try frame.bitmap.converted(to: .rgba8, alpha: .straight).tightBytes()
                == shown(1, [.crop(x: 0, y: 0, width: 9, height: 7)]))
    }

    @Test("Effects apply to every page")
    func appliesToEveryPage() throws {
        let (buffer, pictures) = (ByteBuffer(), frames)
        try ImageDestination(format: .tiff).encode(count: 3, to: buffer) { index in (pictures[index], 0) }
        try folder.write(buffer.bytes, to: "scan.tif")
        #expect(try Command.run("effect", "scan.tif", "out.tif", "--fill", "20x20", in: folder).status == 0)
        let bytes = try folder.read("out.tif")
        #expect(try ImageSource.header(of: bytes).sequence == ImageSequence(.pages, count: 3))
        for index in frames.indices {
            let page = try ImageSource.decode(bytes, options: DecodingOptions(imageIndex: index)).bitmap
            #expect(
                try page.converted(to: .rgba8, alpha: .straight).tightBytes()
                    == shown(index, [.scaleToFill(width: 20, height: 20)]))
        }
    }

    @Test("Files and folders are written to a folder, and a bad file doesn't stop the others")
    func takesFilesAndFoldersToAFolderAndGoesOnAfterABadOne() throws {
        try FileManager.default.createDirectory(atPath: folder.file("in/deep"), withIntermediateDirectories: true)
        for name in ["in/a.png", "in/deep/b.png"] { try folder.write(frames[0].file(.png), to: name) }
        try folder.write(Array("This is no picture.".utf8), to: "in/bad.png")
        let outcome = try Command.run(
            "effect", "in", "party.png", "--recursive", "-d", "out", "--to", "webp", "--fit", "12x12", "-j", "2",
            in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in/bad.png: ") && outcome.errors.contains("3 of 4 files converted"))
        #expect(try folder.names(in: "out") == ["a.webp", "deep", "party.webp"])
        for name in ["out/a.webp", "out/deep/b.webp", "out/party.webp"] {
            #expect(try ImageSource.header(of: folder.read(name)).size == PixelSize(width: 12, height: 8))
        }
    }

    @Test("Standard input is written to standard output")
    func readsStandardInputAndWritesStandardOutput() throws {
        let outcome = try Command.run(
            "effect", "-", "-", "--to", "png", "--rotate", "90", in: folder, input: frames[0].file(.png))
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
        #expect(try ImageSource.decode(outcome.output).bitmap.size == PixelSize(width: 40, height: 60))
    }

    @Test("A damaged image is written as far as it goes, on request")
    func writesWhatThereIsOfADamagedPicture() throws {
        let bytes = try Pictures.photograph(PixelSize(width: 120, height: 80)).file(.png)
        try folder.write(Array(bytes.prefix(bytes.count * 2 / 3)), to: "damaged.png")
        #expect(try Command.run("effect", "damaged.png", "out.png", "--fit", "60x60", in: folder).status == 1)
        let outcome = try Command.run(
            "effect", "damaged.png", "out.png", "--partial", "--crop", "10,10,90,60", "--fit", "45x45", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasPrefix("damaged.png is damaged: "))
        #expect(try ImageSource.header(of: folder.read("out.png")).size == PixelSize(width: 45, height: 30))
    }
}
