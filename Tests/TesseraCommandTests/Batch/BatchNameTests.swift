import Foundation
import ImageFormats
import TestSupport
import Testing

/// Templates, arguments and collisions of `tessera batch`.
@Suite("tessera batch: names and refusals")
struct BatchNameTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let image = try Pictures.flat().file(.png)
        for name in ["in/a.png", "in/b.png", "in/deep/a.png"] { try folder.write(image, to: name) }
        try folder.write(Array("in/a.png\n".utf8), to: "list")
        try folder.write(Array("size\n1x\n".utf8), to: "headless.csv")
        try folder.write(Array("input,size\n\"in/a.png,1x\n".utf8), to: "quote.csv")
        try folder.write(Array("{\"prot\": 1}".utf8), to: "unknown.json")
    }

    private static let usage = [
        Refusal("in", says: "Missing expected argument '--out <template>'"),
        Refusal("--out", "{stem}.png", says: "Missing expected argument '<list>'"),
        Refusal("in", "--out", "../{stem}.png", says: "a template can't contain \"..\""),
        Refusal("in", "--out", "out/../../{stem}.png", says: "a template can't contain \"..\""),
        Refusal("in", "--out", "out/{folder}/../{stem}.png", says: "a template can't contain \"..\""),
        Refusal("in", "--out", "{steam}.png", says: "begins with no placeholder; use {stem}, {name}, {folder}"),
        Refusal("in", "--out", "{stem.png", says: "begins with no placeholder"),
        Refusal("in", "--out", "out.png", says: "outputs need distinct names"),
        Refusal("in", "--out", "{folder}/out.png", says: "outputs need distinct names"),
        Refusal("in", "--out", "{stem}", says: "names must end in .{ext}"),
        Refusal("in", "--out", "{stem}.png", "--shard", "4/4", says: "as in 0/8 to 7/8"),
        Refusal("in", "--out", "{stem}.png", "--shard=-1/4", says: "as in 0/8 to 7/8"),
        Refusal("in", "--out", "{stem}.png", "--shard", "0/0", says: "as in 0/8 to 7/8"),
        Refusal("in", "--out", "{stem}.png", "--shard", "1", says: "as in 0/8 to 7/8"),
        Refusal("in", "--out", "{stem}.png", "--shards", "0", says: "--shards is at least 1"),
        Refusal("in", "--out", "{stem}.png", "--shards", "3", says: "neither is set"),
        Refusal("in", "--out", "{stem}.png", "--shards", "3", "--shard", "0/3", says: "has the number of shards"),
        Refusal("in", "--out", "{stem}.png", "--jobs", "0", says: "--jobs is 1 to 1024"),
        Refusal("in", "--out", "{stem}.png", "--max-errors=-1", says: "--max-errors is at least 0"),
        Refusal("in", "--out", "{stem}.png", "--fail-fast", "--keep-going", says: "exclude each other"),
        Refusal("in", "--out", "{stem}.png", "--to", "xyz", says: "'xyz' is invalid for '--to <format>'"),
        Refusal("-", "--out", "{stem}.png", "--recipe", "-", says: "either the manifest or the recipe"),
        Refusal("in/a.png", "--out", "{stem}.png", says: "in/a.png is an image"),
    ]

    private static let failures = [
        Refusal("nowhere", "--out", "{stem}.png", status: 1, says: "nowhere can't be read"),
        Refusal("in", "--out", "out/{stem}.xyz", status: 1, says: "there is no format \"xyz\""),
        Refusal("in", "--out", "out/{stem}.png", "--to", "jpg", status: 1, says: "extension .png isn't one of JPEG"),
        Refusal("headless.csv", "--out", "{stem}.png", status: 1, says: "one of which is input"),
        Refusal("quote.csv", "--out", "{stem}.png", status: 1, says: "a quotation mark has no partner"),
        Refusal("list", "--out", "{stem}.gif", "--recipe", "missing.json", status: 1, says: "missing.json can't be"),
        Refusal("list", "--out", "{stem}.gif", "--recipe", "{", status: 1, says: "the recipe: line 1"),
        Refusal("list", "--out", "{stem}.gif", "--recipe", "unknown.json", status: 1, says: "no option \"prot\""),
        Refusal("list", "--out", "{stem}.gif", "--recipe", "blurr=3", status: 1, says: "there is no \"blurr\""),
        Refusal("list", "--out", "{stem}.gif", "--recipe", "format=auto", status: 1, says: "use --to FORMAT"),
        Refusal(
            "list", "--out", "{stem}.gif", "--recipe", #"{"in-place": true}"#, status: 1, says: "no option \"in-place\""
        ),
        Refusal(
            "list", "--out", "{stem}.gif", "--recipe", #"{"quality": 7}"#, status: 1,
            says: "a quality of 7.0 is not between 0 and 1"),
        Refusal(
            "list", "--out", "{stem}.gif", "--recipe", #"{"progressive": true}"#, status: 1,
            says: "--progressive has no effect on GIF"),
    ]

    @Test("Invalid arguments and recipes are refused, and nothing is written", arguments: usage + failures)
    func refusals(_ refusal: Refusal) throws {
        let before = try folder.paths()
        let outcome = try Command.run(["batch"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status, "\(outcome.errors)")
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(try folder.paths().filter { $0 != "out" } == before)
    }

    @Test("Two inputs with the same output are refused before anything is written, whatever their shards")
    func collisions() throws {
        for shard in ["0/1", "0/7", "3/7"] {
            let outcome = try Command.run(
                "batch", "in", "--out", "out/{stem}.gif", "--shard", shard, in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("a.png and deep/a.png would both become out/a.gif; nothing was written"))
            #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
        }
        // These differ only in what a path doesn't need.
        try folder.write(Array("in/a.png\n./in//a.png\n".utf8), to: "twice")
        for shard in ["0/1", "0/4", "1/4", "2/4", "3/4"] {
            let twice = try Command.run(
                "batch", "twice", "--out", "out/{folder}/{stem}.gif", "--shard", shard, in: folder)
            #expect(twice.status == 1 && twice.errors.contains("would both become out/in/a.gif"), "\(twice.errors)")
        }
    }

    @Test("Of a long list, the two inputs with one output are found, in whatever shards")
    func collisionInLongList() throws {
        var names = (0..<5000).map { "in/\($0 / 100)/\($0).png" }
        try folder.write(Array(names.joined(separator: "\n").utf8), to: "long")
        let list = ["batch", "long", "--out", "out/{folder}/{stem}.gif", "--dry-run", "--shard"]
        let fine = try Command.run(list + ["0/5000000"], in: folder)
        #expect(fine.status == 0, "\(fine.errors)")
        names.append("in/7/777.jpg")
        try folder.write(Array(names.joined(separator: "\n").utf8), to: "long")
        for shard in ["0/1", "0/2", "1/2"] {
            let outcome = try Command.run(list + [shard], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("in/7/777.png and in/7/777.jpg would both become out/in/7/777.gif"))
        }
    }

    @Test("Inputs can't lead their outputs out of the folder")
    func confined() throws {
        let image = try folder.read("in/a.png")
        try folder.write(image, to: "work/x.png")
        try folder.write(image, to: "up.png")
        try folder.write(image, to: "work/...png")
        let list = "../up.png\n\(folder.file("work/x.png"))\n./x.png\n...png\n"
        try folder.write(Array(list.utf8), to: "work/list")
        let before = try folder.paths()
        let outcome = try Command.run(
            ["-c", "cd work && exec \"$0\" batch list --out '{folder}/{stem}/{index}.gif'", Command.program],
            in: folder, program: "/bin/bash")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("../up.png: its output ../up/00000000.gif would leave the current folder"))
        #expect(outcome.errors.contains("...png: its output /../00000003.gif would leave the current folder"))
        #expect(outcome.errors.contains("2 written, 0 current, 2 failed"), "\(outcome.errors)")
        let made = Set(try folder.paths()).subtracting(before).filter { $0.hasSuffix(".gif") }
        // An absolute path is taken as one beneath the folder.
        #expect(made == ["work/x/00000002.gif", "work\(folder.path)/work/x/00000001.gif"])
    }
}
