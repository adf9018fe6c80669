import Foundation
import Tessera
import Testing
import TestSupport

/// What `info` tells.
@Suite("tessera info")
struct InfoTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func json(_ outcome: Command.Outcome) throws -> [[String: Any]] {
        try #require(JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]])
    }

    @Test("A PNG is described")
    func describesAPNG() throws {
        try folder.write(Pictures.cutout().file(.png), to: "a.png")
        let outcome = try Command.run("info", "a.png", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        let bytes = try folder.read("a.png").count
        for line in [
            "a.png", "  format:        PNG", "  size:          48x32", "  alpha:         yes",
            "  colours:       RGB, 8 bits", "  profile:       sRGB", "  frames:        1", "  bytes:         \(bytes)",
        ] {
            #expect(outcome.text.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
    }

    @Test("A rotated progressive JPEG is described")
    func describesAProgressiveJPEGThatLiesOnItsSide() throws {
        let options = EncodingOptions(
            metadata: ImageMetadata(orientation: .right), jpeg: EncodingOptions.JPEG(isProgressive: true))
        try folder.write(Pictures.photograph().file(.jpeg, options), to: "a.jpg")
        let outcome = try Command.run("info", "--json", "a.jpg", in: folder)
        #expect(outcome.status == 0)
        let picture = try #require(json(outcome).first)
        #expect(picture["format"] as? String == "JPEG")
        #expect(picture["width"] as? Int == 40 && picture["height"] as? Int == 60)
        #expect(picture["storedWidth"] as? Int == 60 && picture["storedHeight"] as? Int == 40)
        #expect(picture["orientation"] as? Int == 6)
        #expect(picture["progressive"] as? Bool == true)
        #expect(picture["alpha"] as? Bool == false)
    }

    @Test("A lossless JPEG is described as one, with its bits")
    func describesALosslessJPEG() throws {
        try folder.write(LosslessJPEG { $0.precision = 16 }.file, to: "a.jpg")
        let outcome = try Command.run("info", "a.jpg", in: folder)
        #expect(outcome.status == 0)
        for line in ["  format:        JPEG, lossless", "  size:          19x13", "  colours:       grey, 16 bits"] {
            #expect(outcome.text.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
        let picture = try #require(json(Command.run("info", "--json", "a.jpg", in: folder)).first)
        #expect(picture["lossless"] as? Bool == true && picture["bitsPerChannel"] as? Int == 16)
        #expect(picture["progressive"] as? Bool == false)
    }

    @Test("Both parts of a JPNG are described", arguments: [1, 2])
    func describesBothPartsOfAJPNG(_ version: Int) throws {
        let bytes = try Pictures.cutout().file(.jpng, EncodingOptions(jpng: EncodingOptions.JPNG(version: version)))
        try folder.write(bytes, to: "a.jpng")
        let picture = try #require(json(Command.run("info", "--json", "a.jpng", in: folder)).first)
        #expect(picture["format"] as? String == "JPNG")
        #expect(picture["alpha"] as? Bool == true)
        let parts = try #require(picture["jpng"] as? [String: Any])
        #expect(parts["version"] as? String == "\(version).0")
        #expect(parts["identifier"] as? String == "GNPJ")
        let (color, mask) = (
            try #require(parts["color"] as? [String: Any]), try #require(parts["mask"] as? [String: Any])
        )
        #expect(color["kind"] as? String == "JPEG" && mask["kind"] as? String == (version == 1 ? "PNG" : "JPEG"))
        #expect(color["width"] as? Int == 48 && mask["height"] as? Int == 32)
        let sizes = (try #require(color["bytes"] as? Int), try #require(mask["bytes"] as? Int))
        #expect(sizes.0 + sizes.1 + 16 == bytes.count)
        // The same from a stream, which has no end to look at first.
        let stream = try Command.run("info", "-", in: folder, input: bytes)
        #expect(stream.text.contains("identifier GNPJ"))
    }

    @Test("A bad file doesn't stop the others")
    func goesOnPastABadFile() throws {
        try folder.write(Pictures.cutout().file(.png), to: "a.png")
        try folder.write([], to: "empty")
        let outcome = try Command.run("info", "--json", "empty", "nosuch", "a.png", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("empty: there are no bytes"))
        #expect(outcome.errors.contains("nosuch can't be read: No such file or directory"))
        let pictures = try json(outcome)
        #expect(pictures.map { $0["file"] as? String } == ["empty", "nosuch", "a.png"])
        #expect(pictures.map { $0["error"] == nil } == [false, false, true])
    }

    @Test("A profile is named by its description")
    func namesAProfileByItsDescription() throws {
        var profile = [UInt8](repeating: 0, count: 128)
        func append(_ values: UInt32...) {
            for value in values { for shift in [24, 16, 8, 0] { profile.append(UInt8(value >> UInt32(shift) & 255)) } }
        }
        // One tag, 'desc', at byte 144: a text of version 2, twelve bytes of which the last is zero.
        append(1, 0x6465_7363, 144, 24, 0x6465_7363, 0, 12)
        profile += Array("Test\u{1B} \"RGB\"\0".utf8)
        profile.replaceSubrange(0..<4, with: [0, 0, 0, UInt8(profile.count)])
        for (offset, text) in [(12, "mntr"), (16, "RGB "), (20, "XYZ "), (36, "acsp")] {
            profile.replaceSubrange(offset..<offset + 4, with: Array(text.utf8))
        }
        let png = try Pictures.cutout().withMeaning(alpha: .straight, profile: .icc(profile)).file(.png)
        let description = try #require(json(Command.run("info", "--json", "-", in: folder, input: png)).first)
        // What a terminal would act on is left out.
        #expect(description["profile"] as? String == "ICC \"Test \"RGB\"\"")
    }

    @Test("Little of a large file is read")
    func readsLittleOfALargeFile() throws {
        // A header, and then a gigabyte that isn't there.
        try folder.write(Pictures.photograph().file(.jpeg).prefix(700) + [], to: "large.jpg")
        #expect(truncate(folder.file("large.jpg"), 1 << 30) == 0)
        let outcome = try Command.run("info", "large.jpg", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("60x40"))
        #expect(outcome.text.contains("1073741824"))
    }

    @Test("Scans are counted to the end of the JPEG", arguments: [0, 1 << 29])
    func countsScansToTheEndOfTheJPEG(padding: Int) throws {
        let options = EncodingOptions(quality: 1, jpeg: EncodingOptions.JPEG(isProgressive: true))
        let file = try Pictures.photograph(PixelSize(width: 900, height: 600)).file(.jpeg, options)
        // More than is read of a file at a time.
        #expect(file.count > 1 << 18)
        try folder.write(file, to: "photo.jpg")
        // What follows the picture, and isn't there, is no part of it.
        #expect(truncate(folder.file("photo.jpg"), off_t(file.count + padding)) == 0)
        let picture = try #require(json(Command.run("info", "--json", "photo.jpg", in: folder)).first)
        #expect(picture["scans"] as? Int == 10)
        #expect(picture["bytes"] as? Int == file.count + padding)
        let stream = try Command.run("info", "--json", "-", in: folder, input: file)
        #expect(try #require(json(stream).first)["scans"] as? Int == 10)
        // Cut off: those that began.
        try folder.write(Array(file.prefix(file.count / 2)), to: "half.jpg")
        let half = try #require(json(Command.run("info", "--json", "half.jpg", in: folder)).first)
        let scans = try #require(half["scans"] as? Int)
        #expect(scans > 0 && scans < 10)
    }
}
