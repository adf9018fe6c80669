import Foundation
import ImagePyramid
import Tessera
import TestSupport
import Testing

/// `tessera tile`: pyramids made, described, checked and read by the program.
@Suite("tessera tile")
struct TileTests {
    private let folder: TemporaryFolder
    private static let size = PixelSize(width: 500, height: 300)

    init() throws {
        folder = try TemporaryFolder()
        let picture = try Pictures.cutout(Self.size).converted(alpha: AlphaMode.none)
        try folder.write(ImageDestination(format: .jpeg).encode(picture), to: "a.jpg")
        try folder.write(ImageDestination(format: .png).encode(Pictures.cutout(Self.size)), to: "b.png")
    }

    private func run(_ arguments: String..., input: [UInt8] = []) throws -> Command.Outcome {
        try Command.run(["tile"] + arguments, in: folder, input: input)
    }

    /// An output of each layout, and what it is then opened by.
    struct Output: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let path: String
        let layout: String

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let outputs = [
        Output(arguments: ["out.pyramid"], path: "out.pyramid", layout: "packed"),
        Output(arguments: ["out.dzi", "--overlap", "1"], path: "out.dzi", layout: "deepzoom"),
        Output(arguments: ["out"], path: "out_files", layout: "deepzoom"),
        Output(arguments: ["out.szi"], path: "out.szi", layout: "deepzoom"),
        Output(arguments: ["out", "--layout", "zoomify"], path: "out", layout: "zoomify"),
        Output(arguments: ["out", "--layout", "zoomify", "--zip"], path: "out.zip", layout: "zoomify"),
        Output(arguments: ["out", "--layout", "google", "--format", "png"], path: "out", layout: "google"),
        Output(arguments: ["out", "--layout", "iiif3"], path: "out", layout: "iiif3"),
        Output(arguments: ["out.zip", "--layout", "iiif2"], path: "out.zip", layout: "iiif2"),
        Output(arguments: ["out.tif", "--format", "jpg"], path: "out.tif", layout: "tiff"),
    ]

    @Test("Every layout is written from files and from standard input", arguments: outputs)
    func layouts(_ output: Output) throws {
        for input in ["a.jpg", "b.png", "-"] {
            let made = try Command.run(
                ["tile", input] + output.arguments + ["--tile-size", "64", "--force"], in: folder,
                input: input == "-" ? folder.read("b.png") : [])
            #expect(made.status == 0 && made.errors.isEmpty && made.output.isEmpty, "\(made.errors)")
            let verified = try run("verify", output.path)
            #expect(verified.status == 0 && verified.text.hasSuffix(" tiles whole, 0 not\n"), "\(verified.text)")
            let described = try run("info", output.path, "--json")
            let facts = try #require(
                try JSONSerialization.jsonObject(with: Data(described.output)) as? [[String: Any]])
            #expect(facts.first?["layout"] as? String == output.layout)
            if output.layout != "google" { #expect(facts.first?["width"] as? Int == Self.size.width) }
            #expect(try run("info", output.path).text.contains("tiles:        "))
        }
        #expect(try !folder.names().contains { $0.hasPrefix(".") || $0.hasSuffix(".part") })
    }

    @Test("Tiles keep transparency unless JPEG is requested")
    func transparency() throws {
        let cutout = try Pictures.cutout(Self.size)
        for format in [ImageFormat.jpng, .png, .webP] {
            try folder.write(
                ImageDestination(format: format, options: EncodingOptions(quality: 0.95)).encode(cutout), to: "cutout")
            for (arguments, expected) in [
                ([], ImageFormat.webP), (["--format", "jpg"], .jpeg), (["--format", "png"], .png),
                (["--format", "jpng"], .jpng),
            ] {
                let made = try Command.run(["tile", "cutout", "out.pyramid", "--force"] + arguments, in: folder)
                #expect(made.status == 0, "\(made.errors)")
                let pyramid = try StoredPyramids.open(path: folder.file("out.pyramid"))
                #expect(pyramid.format == expected)
                let last = TileAddress(level: pyramid.geometry.levels.count - 1, column: 0, row: 0)
                let tile = try ImageSource.decode(try #require(try pyramid.tile(at: last))).bitmap
                let whole = try cutout.converted(to: .rgba8, alpha: .premultiplied).resampled(to: tile.size)
                guard expected != .jpeg else {
                    #expect(tile.isOpaque)
                    continue
                }
                #expect(!tile.isOpaque)
                // The middle of four alphas, whatever they were encoded in.
                let own = try tile.converted(to: .rgba8, alpha: .premultiplied)
                for y in 0..<tile.height {
                    for x in 0..<tile.width {
                        let (a, b) = (own.rows.row(y, as: RGBA8.self)[x], whole.rows.row(y, as: RGBA8.self)[x])
                        #expect(abs(Int(a.alpha) - Int(b.alpha)) <= 60, "\(x), \(y) of \(expected)")
                    }
                }
            }
        }
        #expect(try run("a.jpg", "opaque.pyramid").status == 0)
        #expect(try StoredPyramids.open(path: folder.file("opaque.pyramid")).format == .jpeg)
    }

    @Test("Existing outputs stay without --force")
    func existing() throws {
        for output in Self.outputs {
            try folder.write([1], to: "out.pyramid")
            let arguments = ["tile", "a.jpg"] + output.arguments
            if output.layout != "packed" { #expect(try Command.run(arguments, in: folder).status == 0) }
            let again = try Command.run(arguments, in: folder)
            #expect(
                again.status == 1 && again.errors.contains("exists already; --force replaces it"), "\(again.errors)")
            for name in try folder.names() where name.hasPrefix("out") {
                try FileManager.default.removeItem(atPath: folder.file(name))
            }
        }
    }

    @Test("Folders of images become folders of pyramids, and a bad file doesn't stop the others")
    func many() throws {
        try FileManager.default.createDirectory(atPath: folder.file("in/deep"), withIntermediateDirectories: true)
        try folder.write(folder.read("a.jpg"), to: "in/a.jpg")
        try folder.write(folder.read("b.png"), to: "in/deep/b.png")
        try folder.write([1, 2, 3], to: "in/bad.png")
        try folder.write([1, 2, 3], to: "in/notes.txt")
        let first = try run("in", "made/", "--layout", "packed")
        #expect(first.status == 1)
        #expect(first.errors.contains("in/bad.png"))
        #expect(first.errors.contains("1 of 2 pictures became"))
        #expect(try folder.names(in: "made") == ["a.pyramid"])
        #expect(try run("in", "made", "--recursive", "--force", "--layout", "packed").status == 1)
        #expect(try folder.names(in: "made/deep") == ["b.pyramid"])
    }

    @Test("Tiles, levels and trees are extracted from a pyramid unchanged")
    func extracting() throws {
        #expect(try run("b.png", "out.pyramid", "--format", "png", "--tile-size", "64").status == 0)
        #expect(try run("extract", "out.pyramid", "tile.png", "--tile", "0/7,4").status == 0)
        #expect(try ImageSource.header(of: folder.read("tile.png")).size == PixelSize(width: 52, height: 44))
        #expect(try run("extract", "out.pyramid", "level.png", "--level", "0").status == 0)
        let level = try ImageSource.decode(folder.read("level.png")).bitmap.converted(to: .rgba8, alpha: .premultiplied)
        let source = try ImageSource.decode(folder.read("b.png")).bitmap.converted(to: .rgba8, alpha: .premultiplied)
        #expect(level.tightBytes() == source.tightBytes())
        #expect(try run("extract", "out.pyramid", "-", "--level", "2").output.starts(with: [0x89, 0x50]))
        for layout in ["deepzoom", "zoomify", "iiif3", "iiif2", "packed"] {
            let name = layout == "packed" ? "tree.pyramid" : "tree-\(layout)"
            #expect(try run("extract", "out.pyramid", name, "--layout", layout).status == 0)
            #expect(try run("verify", layout == "deepzoom" ? name + ".dzi" : name).status == 0)
        }
        #expect(try run("extract", "tree-zoomify", "again.pyramid", "--layout", "packed").status == 0)
        #expect(try run("extract", "again.pyramid", "again.png", "--tile", "0/7,4").status == 0)
        #expect(try folder.read("again.png") == folder.read("tile.png"))
    }

    @Test("Missing and truncated tiles and wrong checksums are found")
    func verifying() throws {
        #expect(try run("a.jpg", "tree", "--layout", "zoomify", "--tile-size", "64").status == 0)
        try FileManager.default.removeItem(atPath: folder.file("tree/TileGroup0/0-0-0.jpg"))
        let tile = "tree/TileGroup0/3-1-1.jpg"
        try folder.write(Array(folder.read(tile).dropLast(200)), to: tile)
        let tree = try run("verify", "tree")
        #expect(tree.status == 1)
        #expect(tree.text.contains("tile 3/0,0: it is missing"))
        #expect(tree.text.contains("tile 0/1,1: "))
        #expect(tree.text.contains(", 2 not"))

        #expect(try run("a.jpg", "a.pyramid").status == 0)
        var bytes = try folder.read("a.pyramid")
        bytes[500] ^= 1
        try folder.write(bytes, to: "a.pyramid")
        let packed = try run("verify", "a.pyramid")
        #expect(packed.status == 1 && packed.text.contains("checksum"))
        try folder.write(Array(bytes.dropLast(1)), to: "a.pyramid")
        let cut = try run("verify", "a.pyramid")
        #expect(cut.status == 1 && cut.errors.hasPrefix("Error: a.pyramid: "), "\(cut.errors)")
    }

    @Test("A truncated image leaves no pyramid without --partial")
    func truncated() throws {
        try folder.write(Array(folder.read("a.jpg").prefix(9000)), to: "cut.jpg")
        let refused = try run("cut.jpg", "cut.pyramid")
        #expect(refused.status == 1 && refused.errors.hasPrefix("Error: cut.jpg: "))
        #expect(try !folder.names().contains("cut.pyramid"))
        let partial = try run("cut.jpg", "cut.pyramid", "--partial")
        #expect(partial.status == 1 && partial.errors.contains("cut.jpg: "))
        #expect(try folder.names().contains("cut.pyramid"))
    }

    @Test("With --resume, a run continues an earlier one, or reports that it can't")
    func resuming() throws {
        #expect(try run("a.jpg", "a.pyramid", "--resume").status == 0)
        #expect(try run("a.jpg", "tree", "--layout", "zoomify", "--resume").status == 0)
        #expect(try run("verify", "a.pyramid", "tree").status == 0)
        let archive = try run("a.jpg", "a.zip", "--resume")
        #expect(archive.status == 0 && archive.errors.contains("it starts over"))
        try folder.write(Array(folder.read("a.jpg").prefix(9000)), to: "cut.jpg")
        #expect(try run("cut.jpg", "cut.pyramid", "--resume").status == 1)
        #expect(try folder.names().contains("cut.pyramid.part"))
    }

    private static let refusals = [
        Refusal(says: "Missing expected argument"),
        Refusal("a.jpg", says: "an output is missing: tessera tile INPUT OUTPUT"),
        Refusal("none.jpg", "out", status: 1, says: "none.jpg can't be read: No such file or directory"),
        Refusal("a.jpg", "none/out", status: 1, says: "none/out"),
        Refusal("a.jpg", "-", says: "can't go to standard output"),
        Refusal("a.jpg", "out", "--layout", "dz", says: "write one of packed, deepzoom, zoomify"),
        Refusal("a.jpg", "out", "--tile-size", "0", says: "--tile-size is 1 to 8192, not 0"),
        Refusal("a.jpg", "out", "--tile-size", "9000", says: "--tile-size is 1 to 8192, not 9000"),
        Refusal("a.jpg", "out", "--overlap", "300", says: "--overlap is 0 to the tile size, 256, not 300"),
        Refusal(
            "a.jpg", "out", "--layout", "zoomify", "--overlap", "1",
            says: "zoomify takes no overlap; leave --overlap out"),
        Refusal("a.jpg", "out", "--quality", "75", says: "did you mean 0.75?"),
        Refusal("a.jpg", "out", "--format", "gif", says: "'gif' is invalid for '--format <format>'"),
        Refusal("a.jpg", "out.tif", "--tile-size", "100", says: "tiff needs a tile size divisible by 16, not 100"),
        Refusal("a.jpg", "out.tif", "--format", "png", says: "tiff takes tiles of jpg only"),
        Refusal("b.png", "out.tif", status: 1, says: "--format jpg draws it on --background"),
        Refusal("a.jpg", "out.pyramid", "--zip", says: "packed is one file already"),
        Refusal("a.jpg", "out.szi", "--layout", "iiif3", says: "an SZI file holds deepzoom tiles, not iiif3; use .zip"),
        Refusal("a.jpg", "b.png", "a.jpg", says: "the last name must be a folder"),
        Refusal("-", "a.jpg", "folder/", says: "standard input has no name"),
        Refusal("bad.jpg", "out", status: 1, says: "bad.jpg: "),
        Refusal("info", "none", status: 1, says: "none can't be read"),
        Refusal("info", "a.jpg", status: 1, says: "a.jpg: not a pyramid: "),
        Refusal("verify", "a.jpg", status: 1, says: "a.jpg: not a pyramid: "),
        Refusal("extract", "a.jpg", "out", says: "one of --tile, --level and --layout"),
        Refusal("extract", "a.jpg", "out", "--tile", "1,2", says: "write a tile as level, column and row"),
        Refusal("extract", "a.jpg", "out", "--level", "0", "--zip", says: "--zip goes with the --layout of a tree"),
        Refusal("extract", "a.jpg", "out.png", "--level", "0", status: 1, says: "a.jpg: not a pyramid"),
    ]

    @Test("Invalid calls are refused with the reason, and leave no file", arguments: refusals)
    func refuses(_ refusal: Refusal) throws {
        try folder.write([1, 2, 3], to: "bad.jpg")
        let names = try folder.names()
        let outcome = try Command.run(["tile"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status)
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(try folder.names() == names)
    }

    @Test("The source's date is printed as ISO 8601")
    func dates() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file("a.jpg"))
        #expect(try run("a.jpg", "a.pyramid").status == 0)
        let text = try run("info", "a.pyramid").text
        #expect(text.contains(" bytes of 2023-11-14T22:13:20.000000000Z\n"), "\(text)")
    }

    @Test("A killed run's hidden files are removed by the next run, and a running one's stay")
    func abandoned() throws {
        let hidden = [".tessera-abandoned.part", ".tessera-running.part", ".tessera-file.part", "tessera-seen.part"]
        for name in hidden where name != ".tessera-file.part" {
            try FileManager.default.createDirectory(
                atPath: folder.file(name + "/deep"), withIntermediateDirectories: true)
            try folder.write([1], to: name + "/deep/tile.jpg")
        }
        try folder.write([1], to: ".tessera-file.part")
        let running = open(folder.file(".tessera-running.part"), O_RDONLY | O_DIRECTORY)
        defer { close(running) }
        try #require(flock(running, LOCK_EX) == 0)
        #expect(try run("a.jpg", "tree", "--layout", "zoomify").status == 0)
        #expect(try folder.names() == (hidden.dropFirst() + ["a.jpg", "b.png", "tree"]).sorted())
        #expect(try folder.names(in: ".tessera-running.part/deep") == ["tile.jpg"])
    }

    @Test("A killed run leaves nothing that looks finished, and --resume continues it")
    func interrupted() async throws {
        // Large enough to be under way for a while.
        let size = PixelSize(width: 6000, height: 4000)
        let picture = try Pictures.cutout(PixelSize(width: 600, height: 400)).resampled(to: size)
        try folder.write(ImageDestination(format: .png).encode(picture), to: "large.png")
        for (name, arguments) in [("large.pyramid", []), ("large", ["--layout", "zoomify"])] as [(String, [String])] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Command.program)
            process.arguments = ["tile", "large.png", name, "--format", "png", "--resume"] + arguments
            process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
            try process.run()
            // It is killed at any moment after it has begun to write; it may be done by then, on a fast machine.
            #expect(
                try await eventually {
                    try folder.names().contains { $0 == name || $0 == name + ".part" }
                })
            try await Task.sleep(for: .milliseconds(100))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if try !folder.names().contains(name) { #expect(try folder.names().contains(name + ".part")) }
            let again = try Command.run(
                ["tile", "large.png", name, "--format", "png", "--resume", "--force"] + arguments, in: folder)
            #expect(again.status == 0, "\(again.errors)")
            #expect(try run("verify", name).status == 0)
            #expect(try !folder.names().contains(name + ".part"))
        }
    }
}
