import Foundation
import Tessera
import Testing
import TestSupport

/// The benchmark and the demonstration: what they print, not what it takes.
@Suite("tessera bench and tessera demo")
struct BenchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Sizes and times are compared")
    func comparesSizesAndTimes() throws {
        try folder.write(Pictures.cutout().file(.png), to: "a.png")
        let outcome = try Command.run("bench", "jpng", "a.png", "--runs", "1", "--json", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let pictures = try #require(JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]])
        let picture = try #require(pictures.first)
        #expect(picture["picture"] as? String == "a.png")
        for format in ["png", "jpng"] {
            let times = try #require(picture[format] as? [String: Any])
            #expect(times.count == 5)
            #expect(times.values.allSatisfy { $0 as? Int ?? 0 > 0 })
        }
        // The PNG that was given is the one that is measured.
        let png = try #require(picture["png"] as? [String: Any])
        #expect(png["bytes"] as? Int == (try folder.read("a.png").count))
    }

    @Test("A table is printed")
    func printsATable() throws {
        try folder.write(Pictures.photograph().file(.jpeg), to: "a.jpg")
        let outcome = try Command.run("bench", "jpng", "a.jpg", "--runs", "1", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first?.hasPrefix("picture") == true)
        #expect(lines.last?.contains("of PNG") == true)
    }

    @Test("Files that aren't images are refused")
    func refusesWhatIsNoPicture() throws {
        try folder.write([1, 2, 3], to: "a.png")
        let outcome = try Command.run("bench", "jpng", "a.png", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a.png: the bytes are not in any format"))
        #expect(try Command.run("bench", "jpng", "--quality", "2", in: folder).status == 64)
        #expect(try Command.run("bench", "jpng", "--runs", "0", in: folder).status == 64)
    }

    @Test("The demonstration uses sample images")
    func demonstratesWithSamplePictures() throws {
        // What an earlier run wrote is replaced.
        try FileManager.default.createDirectory(atPath: folder.file("pictures"), withIntermediateDirectories: false)
        try folder.write([1, 2, 3], to: "pictures/fruit.jpng")
        let outcome = try Command.run("demo", "--output-dir", "pictures", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("fruit"))
        #expect(outcome.text.contains("The pictures are in pictures."))
        let jpng = try ImageSource.header(of: folder.read("pictures/fruit.jpng"))
        #expect(jpng.format == .jpng && jpng.hasAlpha)
        #expect(try folder.read("pictures/cutout.jpng").count * 5 < folder.read("pictures/cutout.png").count)
    }
}
