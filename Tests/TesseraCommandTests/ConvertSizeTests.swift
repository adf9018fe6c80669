import Foundation
import Tessera
import TestSupport
import Testing

/// Files made to be no larger than so many bytes, and with a thumbnail inside.
@Suite struct ConvertSizeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph(PixelSize(width: 240, height: 160)).file(.png), to: "photo.png")
    }

    private func size(_ name: String) throws -> Int { try folder.read(name).count }

    @Test(arguments: ["jpg", "webp", "jpng"], [3_000, 6_000])
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

    @Test func leavesAFileThatIsSmallEnoughAsItIs() throws {
        #expect(try Command.run("convert", "photo.png", "plain.jpg", in: folder).status == 0)
        let maximum = try "\(size("plain.jpg"))"
        #expect(
            try Command.run("convert", "photo.png", "same.jpg", "--max-bytes", maximum, in: folder).status == 0)
        #expect(try folder.read("same.jpg") == folder.read("plain.jpg"))
    }

    @Test(arguments: [("jpg", "at the lowest quality"), ("png", "without loss"), ("gif", "without loss")])
    func saysThatItCantBeMadeSmallEnough(name: String, reason: String) throws {
        let arguments = ["convert", "photo.png", "small.\(name)", "--max-bytes", "1000"]
        let outcome = try Command.run(arguments, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: photo.png: "))
        #expect(outcome.errors.hasSuffix("\(reason); the limit is 1000\n"), "\(outcome.errors)")
        #expect(try folder.names() == ["photo.png"])
        // Fewer pixels make it possible.
        #expect(try Command.run(arguments + ["--size", "12x8"], in: folder).status == 0)
        #expect(try size("small.\(name)") <= 1000)
    }

    @Test(arguments: ["--max-bytes", "--thumbnail"], ["0", "-1", "many"])
    func refusesWhatIsNoSize(option: String, value: String) throws {
        let outcome = try Command.run("convert", "photo.png", "small.jpg", "\(option)=\(value)", in: folder)
        #expect(outcome.status == 64)
        #expect(try folder.names() == ["photo.png"])
    }

    @Test func aThumbnailCountsAmongTheBytes() throws {
        let arguments = ["convert", "photo.png", "small.jpg", "--thumbnail", "60", "--max-bytes", "6000"]
        #expect(try Command.run(arguments, in: folder).status == 0)
        let small = try folder.read("small.jpg")
        #expect(small.count <= 6000)
        let thumbnail = try #require(try ImageSource.header(of: small).metadata.embeddedThumbnail)
        #expect(try ImageSource.header(of: thumbnail).size == PixelSize(width: 60, height: 40))
    }
}
