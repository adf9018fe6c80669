import Foundation
import ImageFormats
import Raster
import TestSupport
import Tessera
import Testing

/// `tessera batch` on a folder of small images.
@Suite("tessera batch")
struct BatchTests {
    /// POSIX has no attributes.
    static let markPlaces = SystemForms.arePOSIX ? ["journal"] : ["attributes", "journal"]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for (name, width) in [("a", 12), ("b", 24), ("deep/c", 36), ("deep/er/d", 48)] {
            let bitmap = try Pictures.cutout(PixelSize(width: width, height: 16))
            try folder.write(bitmap.file(.png), to: "in/\(name).png")
        }
    }

    private func batch(_ arguments: String..., environment: [String: String] = [:]) throws -> Command.Outcome {
        try Command.run(["batch"] + arguments, in: folder, environment: environment)
    }

    /// The visible files below a folder.
    private func files(_ root: String) throws -> [String] {
        try folder.paths().filter { $0.hasPrefix(root + "/") && !$0.contains("/.") }
            .filter { !FileManager.default.isFolder(folder.file($0)) }
    }

    private func setTime(_ name: String, _ seconds: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: folder.file(name))
    }

    /// The objects of a report, by input.
    private func report(_ name: String) throws -> [String: [String: Any]] {
        var objects: [String: [String: Any]] = [:]
        for line in try String(decoding: folder.read(name), as: UTF8.self).split(separator: "\n") {
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let input = try #require(object["input"] as? String)
            #expect(objects.updateValue(object, forKey: input) == nil, "\(input) is there twice")
        }
        return objects
    }

    // MARK: Conversion

    @Test("Outputs are the bytes that convert writes")
    func sameAsConvert() throws {
        let outcome = try batch(
            "in", "--out", "out/{folder}/{stem}.{ext}", "--to", "jpg", "--recipe", #"{"size": "10x", "quality": 0.5}"#)
        #expect(outcome.status == 0 && outcome.text == "", "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("4 written, 0 current, 0 failed"), "\(outcome.errors)")
        #expect(try files("out") == ["out/a.jpg", "out/b.jpg", "out/deep/c.jpg", "out/deep/er/d.jpg"])
        let converted = try Command.run(
            "convert", "in", "-r", "--to", "jpg", "--size", "10x", "--quality", "0.5", "-d", "expected", in: folder)
        #expect(converted.status == 0)
        for name in try files("out") {
            #expect(try folder.read(name) == folder.read("expected" + name.dropFirst(3)), "\(name)")
        }
    }

    @Test("Outputs are the bytes that effect writes, whatever the form of the recipe")
    func sameAsEffect() throws {
        let effects = ["--fit", "10x10", "--grayscale", "--radius", "3"]
        #expect(try Command.run(["effect", "in/b.png", "expected.webp"] + effects, in: folder).status == 0)
        let printed = try Command.run(["effect", "--print-recipe"] + effects, in: folder)
        try folder.write(printed.output, to: "card.json")
        try folder.write(Array("in/b.png\n".utf8), to: "list")
        let recipes = [
            "card.json", printed.text, #"{"effects": \#(printed.text)}"#, "fit=10x10&grayscale&radius=3&format=webp",
        ]
        for (index, recipe) in recipes.enumerated() {
            let outcome = try batch("list", "--out", "\(index)/{name}.webp", "--recipe", recipe)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try folder.read("\(index)/b.png.webp") == folder.read("expected.webp"), "\(recipe)")
        }
    }

    @Test("Entries of a manifest have options", arguments: ["csv", "jsonl"])
    func manifests(_ format: String) throws {
        let csv = "\u{FEFF}size,input,to,lossless\r\n6x,in/a.png,,\r\n\r\n,\"in/deep/c.png\",webp,true\r\n"
        let lines = """
            {"input": "in/a.png", "size": "6x"}

            {"input": "in/deep/c.png", "to": "webp", "lossless": true}
            """
        try folder.write(Array((format == "csv" ? csv : lines).utf8), to: "list.\(format)")
        let outcome = try batch("list.\(format)", "--out", "out/{index}-{stem}-{width}x{height}.{ext}", "--to", "gif")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files("out") == ["out/00000000-a-6x8.gif", "out/00000001-c-36x16.webp"])
        #expect(try ImageSource.header(of: folder.read("out/00000001-c-36x16.webp")).format == .webP)
    }

    @Test("A manifest comes from standard input")
    func standardInput() throws {
        let outcome = try Command.run(
            ["batch", "-", "--out", "{stem}.bmp"], in: folder, input: Array("in/a.png\r\nin/deep/c.png".utf8))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.names().filter { $0.hasSuffix(".bmp") } == ["a.bmp", "c.bmp"])
    }

    // MARK: Again

    @Test("A second run does nothing", arguments: markPlaces)
    func again(_ marks: String) throws {
        let arguments = ["batch", "in", "--out", "out/{folder}/{stem}.gif", "--marks", marks]
        #expect(try Command.run(arguments, in: folder).status == 0)
        let times = try files("out").map { try folder.changeTime($0) }
        let second = try Command.run(arguments, in: folder)
        #expect(second.status == 0)
        #expect(second.errors == "0 written, 4 current, 0 failed\n")
        #expect(try files("out").map { try folder.changeTime($0) } == times)
        #expect(try Command.run(arguments + ["--dry-run"], in: folder).text == "")
    }

    @Test("What is missing, stale or incomplete is made again, and nothing else", arguments: markPlaces)
    func stale(_ marks: String) throws {
        let arguments = ["batch", "in", "--out", "out/{folder}/{stem}.gif", "--marks", marks, "--report", "report"]
        #expect(try Command.run(arguments, in: folder).status == 0)
        let expected = try folder.read("out/b.gif")
        try FileManager.default.removeItem(atPath: folder.file("out/b.gif"))
        try setTime("in/deep/c.png", 1_000_000)
        let dry = try Command.run(arguments + ["--dry-run"], in: folder)
        #expect(dry.text == "b.png -> out/b.gif\ndeep/c.png -> out/deep/c.gif\n")
        let second = try Command.run(arguments, in: folder)
        #expect(second.errors.hasPrefix("2 written, 2 current, 0 failed"), "\(second.errors)")
        let statuses = try report("report").mapValues { $0["status"] as? String }
        #expect(
            statuses == [
                "a.png": "current", "b.png": "written", "deep/c.png": "written", "deep/er/d.png": "current",
            ])
        #expect(try folder.read("out/b.gif") == expected)
    }

    @Test(
        "Where files can't have attributes, nothing is written with marks in them",
        .enabled(if: SystemForms.arePOSIX, "this system's files can have them"))
    func lackingAttributes() throws {
        let outcome = try Command.run("batch", "in", "--out", "out/{stem}.gif", "--marks", "attributes", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("--marks journal needs none"), "\(outcome.errors)")
        #expect(try folder.names(in: "out") == [])
    }

    @Test("An output that lost its end is made again", .needsLinux("POSIX has no attributes"))
    func incomplete() throws {
        #expect(try batch("in", "--out", "out/{stem}.gif", "--marks", "attributes").status == 0)
        let expected = try folder.read("out/a.gif")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file("out/a.gif")))
        try file.truncate(atOffset: 20)
        try file.close()
        let second = try batch("in", "--out", "out/{stem}.gif", "--marks", "attributes")
        #expect(second.errors.hasPrefix("1 written, 3 current"), "\(second.errors)")
        #expect(try folder.read("out/a.gif") == expected)
    }

    @Test("A changed recipe makes outputs again", arguments: markPlaces)
    func changedRecipe(_ marks: String) throws {
        func run(_ recipe: String) throws -> String {
            try batch("in", "--out", "out/{stem}.png", "--marks", marks, "--recipe", recipe).errors
        }
        try folder.write(Pictures.mask().file(.png), to: "mask.png")
        #expect(try run(#"{"size": "9x", "keep": "all"}"#).hasPrefix("4 written"))
        // Members in another order are the same recipe.
        #expect(try run(#"{"keep": "all", "size": "9x"}"#).hasPrefix("0 written, 4 current"))
        #expect(try run(#"{"keep": "all", "size": "8x"}"#).hasPrefix("4 written, 0 current"))
        #expect(try run("mask=mask.png").hasPrefix("4 written, 0 current"))
        #expect(try run("mask=mask.png").hasPrefix("0 written, 4 current"))
        try folder.write(Pictures.cutout().file(.png), to: "mask.png")
        #expect(try run("mask=mask.png").hasPrefix("4 written, 0 current"))
    }

    @Test("With --checksum, a copy with another time is current, and other content of the same size isn't")
    func checksum() throws {
        for name in ["x", "y"] { try folder.write(Pictures.flat().file(.bmp), to: "in/\(name).bmp") }
        #expect(try batch("in", "--out", "out/{stem}.gif", "--checksum").status == 0)
        try setTime("in/x.bmp", 5_000_000)
        var changed = try folder.read("in/y.bmp")
        changed[changed.count - 2] ^= 0x7F
        let time = try folder.modificationTime("in/y.bmp")
        try folder.write(changed, to: "in/y.bmp")
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder.file("in/y.bmp"))
        let second = try batch("in", "--out", "out/{stem}.gif", "--checksum")
        #expect(second.errors.hasPrefix("1 written, 5 current"), "\(second.errors)")
    }

    @Test("A file without a mark isn't replaced, but by --force", arguments: markPlaces)
    func foreign(_ marks: String) throws {
        try folder.write([1, 2], to: "out/a.gif")
        let refused = try batch("in", "--out", "out/{stem}.gif", "--marks", marks, "--report", "report")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("out/a.gif exists and has no mark of a batch; --force replaces it"))
        #expect(try folder.read("out/a.gif") == [1, 2])
        #expect(try report("report")["a.png"]?["status"] as? String == "failed")
        #expect(try batch("in", "--out", "out/{stem}.gif", "--marks", marks, "--force").status == 0)
        #expect(try ImageSource.header(of: folder.read("out/a.gif")).format == .gif)
    }

    @Test("An input is never replaced")
    func inputsStay() throws {
        let before = try folder.read("in/a.png")
        try folder.write(Array("in/a.png\n".utf8), to: "list")
        for options in [[], ["--force"]] {
            let outcome = try Command.run(["batch", "list", "--out", "in/{stem}.png"] + options, in: folder)
            #expect(outcome.status == 1)
            #expect(try folder.read("in/a.png") == before)
        }
        let beside = try batch("in", "--out", "in/{stem}.gif")
        #expect(beside.status == 1 && beside.errors.contains("outputs among the inputs"), "\(beside.errors)")
    }

    @Test("Outputs in a folder of the input folder aren't inputs")
    func within() throws {
        for expected in ["4 written, 0 current", "0 written, 4 current"] {
            #expect(try batch("in", "--out", "in/out/{folder}/{stem}.png").errors.hasPrefix(expected))
        }
    }

    // MARK: Failures

    @Test("Bad inputs are reported, and the others are converted")
    func badInputs() throws {
        try folder.write(Array("no image".utf8), to: "in/bad.png")
        try folder.write(Array(folder.read("in/a.png").prefix(60)), to: "in/short.png")
        let outcome = try batch("in", "--out", "out/{stem}.gif", "--report", "{shard}.jsonl")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("4 written, 0 current, 2 failed"), "\(outcome.errors)")
        #expect(outcome.errors.contains("Error: bad.png: "))
        let report = try report("0.jsonl")
        #expect(report.count == 6)
        #expect(report["bad.png"]?["code"] as? String == "unknown format")
        #expect(report["short.png"]?["code"] as? String == "truncated")
        #expect(report["a.png"]?["status"] as? String == "written")
        #expect(try files("out").count == 4)
    }

    @Test(
        "The exit status follows the policy",
        arguments: [
            ([], 1, 3), (["--keep-going"], 1, 3), (["--max-errors", "2"], 0, 3), (["--max-errors", "1"], 1, 2),
            (["--max-errors", "0"], 1, 1), (["--fail-fast"], 1, 1),
        ] as [([String], Int32, Int)])
    func policies(_ options: [String], _ status: Int32, _ lineCount: Int) throws {
        try folder.write(Array("nowhere.png\nneither.png\nin/a.png\n".utf8), to: "list")
        let outcome = try Command.run(
            ["batch", "list", "--out", "{stem}.gif", "--report", "-", "--jobs", "1"] + options, in: folder)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.text.split(separator: "\n").count == lineCount, "\(outcome.text)")
        #expect(outcome.errors.contains("stopped before the end") == (lineCount < 3))
    }

    @Test("Unusable entries of a manifest fail alone")
    func unusableEntries() throws {
        let lines = """
            {"input": "in/a.png", "sise": "6x"}
            {"inputs": "in/a.png"}
            {"input": "in/a.png"
            {"input": "in/b.png", "size": [1]}
            {"input": "in/deep/c.png", "to": "xyz"}
            {"input": "in/deep/er/d.png"}
            """
        try folder.write(Array(lines.utf8), to: "list.jsonl")
        let outcome = try batch("list.jsonl", "--out", "out/{index}.{ext}", "--to", "gif")
        #expect(outcome.status == 1 && outcome.errors.contains("1 written, 0 current, 5 failed"), "\(outcome.errors)")
        #expect(outcome.errors.contains("there is no option \"sise\" for images"))
        #expect(outcome.errors.contains("list.jsonl, line 2: a line is an object with an input"))
        #expect(outcome.errors.contains("list.jsonl, line 3: a comma or } is missing"))
        #expect(outcome.errors.contains("size is a text, a number, true or false"))
        #expect(outcome.errors.contains("there is no format \"xyz\""))
        #expect(try files("out") == ["out/00000005.gif"])
    }
}

extension FileManager {
    fileprivate func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

extension TemporaryFolder {
    func modificationTime(_ name: String) throws -> Date {
        try #require(FileManager.default.attributesOfItem(atPath: file(name))[.modificationDate] as? Date)
    }

    /// A file's number and time: both change when it is replaced.
    func changeTime(_ name: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return "\(attributes[.systemFileNumber] ?? "") \(attributes[.modificationDate] ?? "")"
    }
}
