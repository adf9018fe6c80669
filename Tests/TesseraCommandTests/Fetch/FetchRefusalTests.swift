import Foundation
import Tessera
import TestSupport
import Testing

/// What can't be fetched: a message that says what and what to do, a status, and no file.
@Suite("tessera fetch: refusals")
struct FetchRefusalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "a.png")
        try folder.write(Array("This is no picture.".utf8), to: "text.png")
        try folder.write([], to: "empty.png")
        try folder.write(Array(Pictures.photograph().file(.png).dropLast(200)), to: "damaged.png")
    }

    @Test(
        "Invalid calls are refused with the reason",
        arguments: [
            ([], 64, "Missing expected argument"),
            (["a.png", "--size", "0"], 64, "both sides must be at least 1"),
            (["a.png", "--size", "4xy"], 64, "write a width and a height"),
            (["a.png", "--size=-4"], 64, "both sides must be at least 1"),
            (["a.png", "--size", "50%"], 64, "a share of the size isn't known"),
            (["a.png", "--to", "svg"], 64, "svg"),
            (["a.png", "--jobs", "0"], 64, "--jobs is 1 to 1000, not 0"),
            (["a.png", "--retries=-1"], 64, "--retries is 0 to 1000"),
            (["a.png", "--timeout", "0"], 64, "--timeout is a number of seconds above 0"),
            (["a.png", "--timeout", "nan"], 64, "--timeout is a number of seconds above 0"),
            (["a.png", "--header", "nothing"], 64, "write a name, a colon and a value"),
            (["a.png", "--header", "a b: c"], 64, "write a name, a colon and a value"),
            (["a.png", "--header", "a: b\r\nc: d"], 64, "write a name, a colon and a value"),
            (["a.png", "--cache-policy", "reload"], 64, "--cache FOLDER"),
            (["a.png", "--cache", "c", "--cache-policy", "never"], 64, "never"),
            (["a.png", "--cache", ""], 64, "--cache needs the name of a folder"),
            (["a.png", "--recipe", "r.json", "--circle"], 64, "--recipe can't be combined with effect options"),
            (["a.png", "--recipe", "r.json"], 1, "r.json can't be read: No such file or directory"),
            (
                ["a.png", "--to", "jpg", "--compression-level", "2"], 64,
                "--compression-level has no effect on JPEG; it is an option for JPNG, PNG"
            ),
            (["a.png", "--quality", "0.5"], 64, "the bytes are written as they came"),
            (["a.png", "--content-mode", "center"], 64, "Unknown option '--content-mode'"),
            (["a.png", "--mask", "missing.png"], 1, "missing.png can't be read: No such file or directory"),
            (["-", "-"], 64, "standard input can be read only once"),
            (["-"], 1, "there are no URLs on standard input"),
            (["a.png"], 1, "a.png exists already; --force replaces it"),
            (["a.png", "--to", "png"], 1, "a.png exists already; --force replaces it"),
            (["missing.png"], 1, "missing.png can't be read: No such file or directory"),
            ([""], 1, "Error: "),
            (["file://elsewhere/a.png"], 1, "file://elsewhere/a.png: there is no loader for"),
            (["file:///"], 1, "Error: "),
            (["http://"], 1, "http://: "),
            (["http:// /"], 1, "http:// /: "),
            (["data:nothing"], 1, "it has no comma"),
            (["empty.png", "-d", "out"], 1, "empty.png: it can't be loaded: there are no bytes"),
            (
                ["text.png", "-d", "out", "--size", "40"], 1,
                "text.png: the bytes are not in any format that can be read here"
            ),
            (["damaged.png", "-d", "out", "--to", "jpg"], 1, "damaged.png: it can't be decoded: "),
            (["a.png", "-d", "out", "--blur", "-1"], 1, "a.png: it can't be processed"),
            (["a.png", "-d", "out", "--to", "jpg", "--limits", "pixels=100"], 1, "the limit is 100"),
            (["a.png", "-d", "text.png"], 1, "text.png"),
        ] as [([String], Int32, String)])
    func saysWhatIsWrong(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let outcome = try Command.run(["fetch"] + arguments, in: folder)
        #expect(outcome.status == status)
        #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        let files = FileManager.default.subpaths(atPath: folder.path) ?? []
        #expect(files.filter { $0 != "out" }.sorted() == ["a.png", "damaged.png", "empty.png", "text.png"])
    }

    @Test("A file is replaced only with --force")
    func replacesAFileOnlyByForce() throws {
        let before = try folder.read("a.png")
        try FileManager.default.createDirectory(atPath: folder.file("mine"), withIntermediateDirectories: true)
        try folder.write(Array("mine".utf8), to: "mine/a.png")
        let refused = try Command.run("fetch", "a.png", "-d", "mine", in: folder)
        #expect(refused.status == 1 && refused.errors == "Error: mine/a.png exists already; --force replaces it\n")
        #expect(try folder.read("mine/a.png") == Array("mine".utf8))
        #expect(try Command.run("fetch", "a.png", "-d", "mine", "--force", in: folder).status == 0)
        #expect(try folder.read("mine/a.png") == before)
        #expect(try folder.names(in: "mine") == ["a.png"])
    }
}
