import Foundation
import ImageFormats
import Testing
import TestSupport

/// How much is reported.
@Suite("tessera convert: reports")
struct ConvertReportTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "in/a.png")
        try folder.write(Pictures.cutout().file(.png), to: "in/b.png")
        try folder.write([1, 2, 3], to: "in/c.png")
    }

    @Test("--json prints an object on a line for each file, and the failures")
    func json() throws {
        let outcome = try Command.run("convert", "in", "--to", "jpg", "--json", "--quiet", in: folder)
        #expect(outcome.status == 1)
        let objects = try outcome.text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.count == 3)
        for name in ["a", "b"] {
            let object = try #require(objects.first { $0["input"] as? String == "in/\(name).png" })
            #expect(object["output"] as? String == "in/\(name).jpg")
            let (old, new) = (try folder.read("in/\(name).png").count, try folder.read("in/\(name).jpg").count)
            #expect(object["inputBytes"] as? Int == old && object["outputBytes"] as? Int == new)
        }
        #expect(objects.contains { $0["input"] as? String == "in/c.png" && $0["error"] is String })
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }

    @Test("--verbose names each file, --quiet no more than failures, and JSON keeps out of an image's way")
    func words() throws {
        let verbose = try Command.run("convert", "in/a.png", "in/b.png", "--to", "webp", "-v", in: folder)
        #expect(verbose.errors.contains("in/a.png -> in/a.webp: ") && verbose.errors.contains("2 of 2 files converted"))
        let quiet = try Command.run("convert", "in/a.png", "in/b.png", "--to", "webp", "-q", "-f", in: folder)
        #expect(quiet.status == 0 && quiet.errors == "" && quiet.output.isEmpty)
        let piped = try Command.run("convert", "in/a.png", "-", "--to", "webp", "--json", in: folder)
        #expect(piped.status == 64 && piped.errors.contains("to which the image goes"))
    }
}
