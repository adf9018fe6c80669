import Foundation
import Tessera
import TestSupport
import Testing

/// Files made to be no larger than so many bytes, and with a thumbnail inside.
@Suite("tessera convert: file sizes and thumbnails")
struct ConvertSizeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph(PixelSize(width: 240, height: 160)).file(.png), to: "photo.png")
    }

    private func size(_ name: String) throws -> Int { try folder.read(name).count }

    @Test("Quality is lowered as far as needed", arguments: ["jpg", "webp", "jpng"], [3_000, 6_000])
    func lowersTheQualityAsFarAsItMust(name: String, maximum: Int) throws {
        let arguments = ["convert", "photo.png", "small.\(name)", "--quality", "0.95", "--max-bytes", "\(maximum)"]
        let outcome = try Command.run(arguments, in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        let small = try folder.read("small.\(name)")
        #expect(small.count <= maximum)
        #expect(try ImageSource.header(of: small).size == PixelSize(width: 240, height: 160))
        // It is the file of some quality, and the next better one's is too large.
        let picture = try ImageSource.decode(folder.read("photo.png")).bitmap
        let format = try ImageSource.header(of: small).format
        let matches = try (0...95).map { quality in
            try picture.file(format, EncodingOptions(quality: Double(quality) / 100)) == small
        }
        let quality = try #require(matches.lastIndex(of: true))
        #expect(quality < 95)
        #expect(try picture.file(format, EncodingOptions(quality: Double(quality + 1) / 100)).count > maximum)
    }

    @Test("A file that is small enough stays as it is")
    func leavesAFileThatIsSmallEnoughAsItIs() throws {
        #expect(try Command.run("convert", "photo.png", "plain.jpg", in: folder).status == 0)
        let maximum = try "\(size("plain.jpg"))"
        #expect(
            try Command.run("convert", "photo.png", "same.jpg", "--max-bytes", maximum, in: folder).status == 0)
        #expect(try folder.read("same.jpg") == folder.read("plain.jpg"))
    }

    @Test(
        "A size that can't be reached is an error",
        arguments: [("jpg", "at the lowest quality"), ("png", "without loss"), ("gif", "without loss")])
    func saysThatItCantBeMadeSmallEnough(name: String, reason: String) throws {
        let arguments = ["convert", "photo.png", "small.\(name)", "--max-bytes", "1000"]
        let outcome = try Command.run(arguments, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: photo.png: "))
        #expect(
            outcome.errors.hasSuffix("\(reason); the limit is 1000: raise it, or make the image smaller\n"),
            "\(outcome.errors)")
        #expect(try folder.names() == ["photo.png"])
        // Fewer pixels make it possible.
        #expect(try Command.run(arguments + ["--size", "12x8"], in: folder).status == 0)
        #expect(try size("small.\(name)") <= 1000)
    }

    @Test("An invalid size is refused", arguments: ["--max-bytes", "--thumbnail"], ["0", "-1", "many"])
    func refusesWhatIsNoSize(option: String, value: String) throws {
        let outcome = try Command.run("convert", "photo.png", "small.jpg", "\(option)=\(value)", in: folder)
        #expect(outcome.status == 64)
        #expect(try folder.names() == ["photo.png"])
    }

    private static let hasPillow = (try? CommandLineTool.python.run(["-c", "import PIL.Image"])) ?? false

    @Test(
        "A thumbnail is embedded in the file",
        .enabled(if: hasPillow, "Pillow isn't installed"),
        arguments: ["jpg", "png", "webp"])
    func putsAThumbnailIntoTheFile(name: String) throws {
        let output = "photo.\(name == "png" ? "thumbnail.png" : name)"
        let outcome = try Command.run("convert", "photo.png", output, "--thumbnail", "60", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(try Command.run("info", output, in: folder).text.contains("  thumbnail:     "))
        // What Pillow finds by the block's second directory (EXIF 2.32, 4.5.5), in red, green and blue.
        let program = """
            import io, struct, sys
            from PIL import Image, TiffImagePlugin
            image = Image.open(sys.argv[1])
            image.load()
            block = image.info["exif"]
            block = block[6:] if block[:6] == b"Exif\\0\\0" else block
            file = io.BytesIO(block)
            directory = TiffImagePlugin.ImageFileDirectory_v2(block[:8])
            file.seek(directory.next)
            directory.load(file)
            file.seek(directory.next)
            directory.load(file)
            start, count = directory[513], directory[514]
            small = Image.open(io.BytesIO(block[start:start + count]))
            assert small.format == "JPEG"
            sys.stdout.buffer.write(struct.pack("<II", *small.size) + small.convert("RGB").tobytes())
            """
        let found = try #require(try CommandLineTool.python.output(["-c", program, folder.file(output)]))
        #expect(found.prefix(8) == [60, 0, 0, 0, 40, 0, 0, 0])
        let picture = try ImageSource.decode(folder.read("photo.png")).bitmap
        let small = try picture.resampled(to: PixelSize(width: 60, height: 40)).converted(to: .rgba8)
        let wanted = small.tightBytes().enumerated().filter { $0.offset % 4 != 3 }.map(\.element)
        try #require(wanted.count == found.count - 8)
        let differences = zip(wanted, found.dropFirst(8)).map { abs(Int($0) - Int($1)) }
        #expect(differences.reduce(0, +) / differences.count < 6)
    }

    @Test("A thumbnail counts towards the size")
    func aThumbnailCountsAmongTheBytes() throws {
        let arguments = ["convert", "photo.png", "small.jpg", "--thumbnail", "60", "--max-bytes", "6000"]
        #expect(try Command.run(arguments, in: folder).status == 0)
        let small = try folder.read("small.jpg")
        #expect(small.count <= 6000)
        let thumbnail = try #require(try ImageSource.header(of: small).metadata.embeddedThumbnail)
        #expect(try ImageSource.header(of: thumbnail).size == PixelSize(width: 60, height: 40))
    }
}
