import Foundation
import JPNGContainer
import Raster
import SamplePictures
import Tessera
import Testing

/// The built program, run as people run it.
@Suite("jpngtool")
struct JPNGToolTests {
    static let program: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("jpngtool").path
    }()

    /// A fresh folder, removed at the end.
    private final class Folder {
        let path = NSTemporaryDirectory() + "jpngtool-tests-\(UUID().uuidString)"

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ bytes: [UInt8], _ name: String) throws {
            let url = URL(fileURLWithPath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }

        func read(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
        }

        var names: [String] {
            get throws { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }
        }

        /// Runs a program here; its messages go to a file, so that no pipe can fill up.
        func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
            let log = NSTemporaryDirectory() + UUID().uuidString
            try Data().write(to: URL(fileURLWithPath: log))
            defer { try? FileManager.default.removeItem(atPath: log) }
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.currentDirectoryURL = URL(fileURLWithPath: path)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text, try String(contentsOfFile: log, encoding: .utf8))
        }

        func tool(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            try run(JPNGToolTests.program, arguments)
        }
    }

    private static func picture() throws -> Bitmap {
        try SamplePicture.cutout.makeBitmap(size: PixelSize(width: 60, height: 40))
    }

    private static func png() throws -> [UInt8] { try ImageDestination(format: .png).encode(picture()) }

    private static func isJPNG(_ bytes: [UInt8]) -> Bool {
        (try? JPNGContainer(verifying: bytes.span.bytes)) != nil
    }

    @Test func theOutputIsNamedAfterTheInput() throws {
        let folder = try Folder()
        try folder.write(Self.png(), "a.b.png")
        let result = try folder.tool("a.b.png")
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.errors.isEmpty)
        #expect(try folder.names == ["a.b.jpng", "a.b.png"])
        let decoded = try ImageSource.decode(folder.read("a.b.jpng"))
        #expect(decoded.header.format == .jpng)
        #expect(decoded.bitmap.size == PixelSize(width: 60, height: 40))
    }

    @Test(arguments: [
        ("plain", "plain.jpng"), (".hidden", ".hidden.jpng"), ("dot.ted/name", "dot.ted/name.jpng"),
        ("two.dots.png", "two.dots.jpng"),
    ])
    func onlyAnExtensionIsReplaced(input: String, output: String) throws {
        let folder = try Folder()
        try folder.write(Self.png(), input)
        #expect(try folder.tool(input).status == 0)
        #expect(try Self.isJPNG(folder.read(output)))
    }

    @Test func missingFoldersAreMade() throws {
        let folder = try Folder()
        try folder.write(Self.png(), "in.png")
        #expect(try folder.tool("in.png", "one/two/out.jpng").status == 0)
        #expect(try folder.tool("in.png", "\(folder.path)/three/out.jpng").status == 0)
        #expect(try folder.tool("in.png", "bare").status == 0)
        for name in ["one/two/out.jpng", "three/out.jpng", "bare"] { #expect(try Self.isJPNG(folder.read(name))) }
    }

    @Test func qualityDecidesTheSize() throws {
        let folder = try Folder()
        try folder.write(Self.png(), "in.png")
        var sizes: [Int] = []
        for quality in ["0.1", "0.5", "0.8", "1"] {
            #expect(try folder.tool("in.png", "out.jpng", quality).status == 0)
            sizes.append(try folder.read("out.jpng").count)
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
        // The default is 0.8.
        #expect(try folder.tool("in.png").status == 0)
        #expect(try folder.read("in.jpng").count == sizes[2])
    }

    @Test(arguments: ["0", "-0.5", "1.01", "80", "nan", "high", "", "0,8"])
    func aQualityThatMakesNoSenseIsRefused(quality: String) throws {
        let folder = try Folder()
        try folder.write(Self.png(), "in.png")
        let result = try folder.tool("in.png", "out.jpng", quality)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("quality"))
        #expect(try folder.names == ["in.png"])
    }

    @Test(arguments: [[], ["in.png", "out.jpng", "0.8", "more"], ["--fast", "in.png"], ["in.png", ""]])
    func aCommandLineThatMakesNoSenseIsRefused(arguments: [String]) throws {
        let folder = try Folder()
        try folder.write(Self.png(), "in.png")
        let result = try folder.run(Self.program, arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains("Usage: jpngtool inputfile [outputfile] [quality]"))
        #expect(try folder.names == ["in.png"])
    }

    @Test func anInputIsNotReplacedByChance() throws {
        let folder = try Folder()
        let file = try Self.picture().jpngData()
        try folder.write(file, "in.jpng")
        #expect(try folder.tool("in.jpng").status == 64)
        #expect(try folder.read("in.jpng") == file)
        #expect(try folder.tool("in.jpng", "in.jpng", "0.3").status == 0)
        #expect(try folder.read("in.jpng").count < file.count)
    }

    @Test func anOutputThatIsThereIsReplaced() throws {
        let folder = try Folder()
        try folder.write(Self.png(), "in.png")
        try folder.write([1, 2, 3], "in.jpng")
        #expect(try folder.tool("in.png").status == 0)
        #expect(try Self.isJPNG(folder.read("in.jpng")))
    }

    @Test func whatCannotBeReadLeavesNothingBehind() throws {
        let folder = try Folder()
        let png = try Self.png()
        try folder.write(Array(png.dropLast(png.count / 2)), "short.png")
        var damaged = try Self.picture().jpngData()
        damaged[damaged.count - 13] = 0xFF
        try folder.write(damaged, "damaged.jpng")
        try folder.write(Array("no picture".utf8), "text.png")
        try folder.write([], "empty.png")
        try FileManager.default.createDirectory(atPath: folder.path + "/folder.png", withIntermediateDirectories: true)
        try folder.write([7], "old.jpng")
        let before = try folder.names
        for input in ["short.png", "damaged.jpng", "text.png", "empty.png", "folder.png", "missing.png"] {
            let result = try folder.tool(input, "old.jpng")
            #expect(result.status == 1, "\(input)")
            #expect(result.errors.hasPrefix("jpngtool: "), "\(input)")
            #expect(result.errors.contains(input), "\(input)")
        }
        #expect(try folder.names == before)
        #expect(try folder.read("old.jpng") == [7])
    }

    @Test func whatCannotBeWrittenIsSaid() throws {
        let folder = try Folder()
        try folder.write(Self.png(), "in.png")
        try folder.write([1], "file")
        let result = try folder.tool("in.png", "file/out.jpng")
        #expect(result.status == 1)
        #expect(result.errors.contains("file"))
        #expect(try folder.names == ["file", "in.png"])
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .jpng])
    func anyReadableFormatIsTaken(format: ImageFormat) throws {
        let folder = try Folder()
        try folder.write(try ImageDestination(format: format).encode(Self.picture()), "in.picture")
        #expect(try folder.tool("in.picture", "out.jpng").status == 0)
        #expect(try Self.isJPNG(folder.read("out.jpng")))
    }

    @Test func theOrientationIsApplied() throws {
        let folder = try Folder()
        let options = EncodingOptions(metadata: ImageMetadata(orientation: .right))
        try folder.write(try ImageDestination(format: .jpeg, options: options).encode(Self.picture()), "in.jpg")
        #expect(try folder.tool("in.jpg").status == 0)
        let header = try ImageSource.header(of: folder.read("in.jpng"))
        #expect(header.storedSize == PixelSize(width: 40, height: 60))
        #expect(header.metadata.orientation == .up)
    }

    /// As the readme prints it, but for the program's path. Twice, since people run it again.
    @Test func theBatchRecipeWorks() throws {
        let folder = try Folder()
        for name in ["one.png", "sub/two.png", "sub/with space.png"] { try folder.write(Self.png(), name) }
        let recipe = #"find ./ -name \*.png | sed 's/\.png//g' | xargs -I % -n 1 \#(Self.program) %.png %.jpng 0.8"#
        for _ in 0..<2 {
            let result = try folder.run("/bin/sh", ["-c", recipe])
            #expect(result.status == 0)
            #expect(result.errors.isEmpty)
        }
        #expect(
            try folder.names.filter { $0.hasSuffix("png") } == [
                "one.jpng", "one.png", "sub/two.jpng", "sub/two.png", "sub/with space.jpng", "sub/with space.png",
            ])
        for name in ["one.jpng", "sub/two.jpng", "sub/with space.jpng"] {
            #expect(try Self.isJPNG(folder.read(name)))
        }
    }

    @Test func helpAndVersionArePrinted() throws {
        let folder = try Folder()
        let help = try folder.tool("--help")
        #expect(help.status == 0)
        for word in ["inputfile [outputfile] [quality]", "0.94", "replaced", "xargs"] {
            #expect(help.output.contains(word))
        }
        let version = try folder.tool("--version")
        #expect(version.status == 0)
        #expect(version.output.hasPrefix("jpngtool "))
    }
}
