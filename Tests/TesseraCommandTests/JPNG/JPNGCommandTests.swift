import Foundation
import JPNGContainer
import Tessera
import Testing
import TestSupport

/// Splitting, joining and checking.
@Suite("tessera jpng")
struct JPNGCommandTests {
    private let folder: TemporaryFolder
    private let file: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        file = try Pictures.cutout().file(.jpng)
        try folder.write(file, to: "a.jpng")
    }

    @Test("Split and join restore every byte")
    func splitsAndJoinsByteForByte() throws {
        let split = try Command.run("jpng", "split", "a.jpng", in: folder)
        #expect(split.status == 0 && split.errors == "")
        #expect(try folder.names() == ["a-mask.png", "a.jpg", "a.jpng"])
        let join = try Command.run("jpng", "join", "a.jpg", "a-mask.png", "b.jpng", in: folder)
        #expect(join.status == 0 && join.errors == "")
        #expect(try folder.read("b.jpng") == file)
    }

    @Test("Split takes the tag away, and join can leave it out")
    func onlyAJPNGIsTagged() throws {
        func tag(of file: [UInt8]) -> Range<Int>? { JPNGTag.range(in: file.span.bytes) }
        #expect(tag(of: file) == 20..<29)
        #expect(try Command.run("jpng", "split", "a.jpng", in: folder).status == 0)
        #expect(tag(of: try folder.read("a.jpg")) == nil)
        let join = try Command.run("jpng", "join", "a.jpg", "a-mask.png", "b.jpng", "--no-tag", in: folder)
        #expect(join.status == 0)
        let plain = try JPNGContainer.untagging(file.span.bytes)
        #expect(try folder.read("b.jpng") == plain)
        let convert = try Command.run("convert", "a.jpng", "c.jpng", "--no-jpng-tag", in: folder)
        #expect(convert.status == 0)
        #expect(tag(of: try folder.read("c.jpng")) == nil)
    }

    @Test("tag adds the segment without changing anything else, and removes it")
    func tags() throws {
        let untagged = try JPNGContainer.untagging(file.span.bytes)
        let plain = try #require(untagged)
        try folder.write(plain, to: "old.jpng")
        let verify = try Command.run("jpng", "verify", "old.jpng", in: folder)
        #expect(verify.status == 0 && verify.text.contains("old.jpng: note: there is no tag"))
        #expect(try Command.run("jpng", "tag", "old.jpng", "new.jpng", in: folder).status == 0)
        #expect(try folder.read("new.jpng") == file)
        #expect(try Command.run("jpng", "tag", "new.jpng", "back.jpng", "--remove", in: folder).status == 0)
        #expect(try folder.read("back.jpng") == plain)
        // A file that has it is copied, or left alone.
        #expect(try Command.run("jpng", "tag", "new.jpng", "same.jpng", in: folder).status == 0)
        #expect(try folder.read("same.jpng") == file)
        #expect(try Command.run("jpng", "tag", "old.jpng", "a.jpng", "--in-place", in: folder).status == 0)
        #expect(try folder.read("old.jpng") == file)
        #expect(try folder.read("a.jpng") == file)
    }

    @Test("tag replaces nothing unasked, and refuses what isn't a JPNG")
    func tagRefuses() throws {
        let untagged = try JPNGContainer.untagging(file.span.bytes)
        let plain = try #require(untagged)
        try folder.write(plain, to: "old.jpng")
        let taken = try Command.run("jpng", "tag", "old.jpng", "a.jpng", in: folder)
        #expect(taken.status == 1)
        #expect(try folder.read("a.jpng") == file)
        try folder.write(Pictures.photograph().file(.jpeg), to: "photo.jpg")
        let other = try Command.run("jpng", "tag", "photo.jpg", "out.jpng", in: folder)
        #expect(other.status == 1 && other.errors.contains("aren't a JPNG identifier"), "\(other.errors)")
        let renamed = try Command.run("jpng", "tag", "old.jpng", "out.jpg", in: folder)
        #expect(renamed.status == 1)
        let dry = try Command.run("jpng", "tag", "old.jpng", "--in-place", "--dry-run", in: folder)
        #expect(dry.status == 0)
        #expect(try folder.read("old.jpng") == plain)
        #expect(try folder.names() == ["a.jpng", "old.jpng", "photo.jpg"])
    }

    @Test("Output names can be given")
    func splitsToNamesThatAreGiven() throws {
        #expect(try Command.run("jpng", "split", "a.jpng", "color", "mask", in: folder).status == 0)
        #expect(try ImageSource.header(of: folder.read("color")).format == .jpeg)
        #expect(try ImageSource.header(of: folder.read("mask")).format == .png)
    }

    @Test("A failed split leaves no part")
    func splitsAllOrNothing() throws {
        try folder.write([7], to: "a-mask.png")
        let refused = try Command.run("jpng", "split", "a.jpng", in: folder)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("a-mask.png"))
        #expect(try folder.names() == ["a-mask.png", "a.jpng"])
        #expect(try Command.run("jpng", "split", "a.jpng", "--force", in: folder).status == 0)
        #expect(try folder.read("a-mask.png").count > 1)
    }

    @Test("join refuses invalid parts")
    func joinRefusesPartsThatAreNone() throws {
        try folder.write(Array("text".utf8), to: "text")
        try folder.write(Pictures.cutout().file(.png), to: "mask.png")
        try folder.write(Pictures.photograph().file(.jpeg), to: "color.jpg")
        for (arguments, message) in [
            (["a.jpng", "mask.png"], "a.jpng is a JPNG already"),
            (["mask.png", "mask.png"], "mask.png: the colour part"),
            (["color.jpg", "text"], "text: the mask is neither a PNG nor a JPEG"),
            (["nosuch", "mask.png"], "nosuch can't be read"),
        ] {
            let outcome = try Command.run(["jpng", "join"] + arguments + ["out.jpng"], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(!(try folder.names().contains("out.jpng")))
        }
        let taken = try Command.run("jpng", "join", "color.jpg", "mask.png", "a.jpng", in: folder)
        #expect(taken.status == 1)
        #expect(try folder.read("a.jpng") == file)
    }

    @Test("verify accepts a valid file")
    func verifiesASoundFile() throws {
        let outcome = try Command.run("jpng", "verify", "a.jpng", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.text == "a.jpng: ok\n")
    }

    @Test("verify reports what is unusual")
    func verifyTellsWhatIsUnusual() throws {
        var unusual = file
        unusual.insert(contentsOf: [0, 0, 0], at: file.count - 16)
        unusual.replaceSubrange(unusual.count - 4..<unusual.count, with: Array("GEPJ".utf8))
        try folder.write(unusual, to: "unusual.jpng")
        let outcome = try Command.run("jpng", "verify", "unusual.jpng", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("note: the identifier is GEPJ instead of GNPJ"))
        #expect(outcome.text.contains("note: 3 bytes at byte \(file.count - 16) mean nothing"))
        #expect(outcome.text.hasSuffix("unusual.jpng: ok\n"))
    }

    @Test("verify reports errors and their offsets")
    func verifySaysWhatIsWrongAndWhere() throws {
        let container = try JPNGContainer(verifying: file.span.bytes)
        func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
            var copy = file
            change(&copy)
            return copy
        }
        let end = file.count
        let cases: [(bytes: [UInt8], message: String)] = [
            ([], "fewer than a JPNG footer's 16"),
            (changed { $0.removeLast() }, "the last four bytes aren't a JPNG identifier"),
            (changed { $0[end - 6] = 9 }, "(at byte \(end - 6))"),
            (changed { $0[end - 13] = 0x7F }, "(at byte \(end - 16))"),
            (changed { $0[container.maskRange.lowerBound] = 0 }, "(at byte \(container.maskRange.lowerBound))"),
            // A length in the middle of the mask's chunks.
            (changed { $0[container.maskRange.lowerBound + 20] ^= 0xFF }, "in the mask"),
            (changed { $0[container.maskRange.upperBound - 14] ^= 0xFF }, "in the mask"),
        ]
        for (index, damage) in cases.enumerated() {
            try folder.write(damage.bytes, to: "\(index).jpng")
            let outcome = try Command.run("jpng", "verify", "\(index).jpng", in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.text.contains("\(index).jpng: wrong: "), "\(outcome.text)")
            #expect(outcome.text.contains(damage.message), "\(outcome.text)")
        }
    }

    @Test("verify continues after a bad file")
    func verifyGoesOnPastABadFile() throws {
        let outcome = try Command.run("jpng", "verify", "nosuch.jpng", "a.jpng", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.text == "a.jpng: ok\n")
        #expect(outcome.errors.contains("nosuch.jpng can't be read"))
    }
}
