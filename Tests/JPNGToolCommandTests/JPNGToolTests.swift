import Foundation
import JPNGContainer
import Raster
import SamplePictures
import Tessera
import TestSupport
import Testing

/// The built program, run as people run it.
@Suite("jpngtool")
struct JPNGToolTests {
    private static let program = BuiltProgram("jpngtool").path

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> ProgramOutcome {
        try ProgramOutcome(of: Self.program, arguments, in: folder)
    }

    private static func picture() throws -> Bitmap {
        try SamplePicture.cutout.makeBitmap(size: PixelSize(width: 60, height: 40))
    }

    private static func png() throws -> [UInt8] { try ImageDestination(format: .png).encode(picture()) }

    private static func isJPNG(_ bytes: [UInt8]) -> Bool {
        (try? JPNGContainer(verifying: bytes.span.bytes)) != nil
    }

    @Test("The output is named after the input")
    func theOutputIsNamedAfterTheInput() throws {
        try folder.write(Self.png(), to: "a.b.png")
        let result = try run("a.b.png")
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.errors.isEmpty)
        #expect(try folder.paths() == ["a.b.jpng", "a.b.png"])
        let decoded = try ImageSource.decode(folder.read("a.b.jpng"))
        #expect(decoded.header.format == .jpng)
        #expect(decoded.bitmap.size == PixelSize(width: 60, height: 40))
    }

    @Test(
        "Only the last extension is replaced",
        arguments: [
            ("plain", "plain.jpng"), (".hidden", ".hidden.jpng"), ("dot.ted/name", "dot.ted/name.jpng"),
            ("two.dots.png", "two.dots.jpng"),
        ])
    func onlyAnExtensionIsReplaced(input: String, output: String) throws {
        try folder.write(Self.png(), to: input)
        #expect(try run(input).status == 0)
        #expect(try Self.isJPNG(folder.read(output)))
    }

    @Test("Missing folders are created")
    func missingFoldersAreMade() throws {
        try folder.write(Self.png(), to: "in.png")
        #expect(try run("in.png", "one/two/out.jpng").status == 0)
        #expect(try run("in.png", "\(folder.path)/three/out.jpng").status == 0)
        #expect(try run("in.png", "bare").status == 0)
        for name in ["one/two/out.jpng", "three/out.jpng", "bare"] { #expect(try Self.isJPNG(folder.read(name))) }
    }

    @Test("Quality decides the file size")
    func qualityDecidesTheSize() throws {
        try folder.write(Self.png(), to: "in.png")
        var sizes: [Int] = []
        for quality in ["0.1", "0.5", "0.8", "1"] {
            #expect(try run("in.png", "out.jpng", quality).status == 0)
            sizes.append(try folder.read("out.jpng").count)
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
        // The default is 0.8.
        #expect(try run("in.png").status == 0)
        #expect(try folder.read("in.jpng").count == sizes[2])
    }

    @Test("An invalid quality is refused", arguments: ["0", "-0.5", "1.01", "80", "nan", "high", "", "0,8"])
    func aQualityThatMakesNoSenseIsRefused(quality: String) throws {
        try folder.write(Self.png(), to: "in.png")
        let result = try run("in.png", "out.jpng", quality)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("quality"))
        #expect(try folder.paths() == ["in.png"])
    }

    @Test(
        "An invalid command line prints the usage",
        arguments: [[], ["in.png", "out.jpng", "0.8", "more"], ["--fast", "in.png"], ["in.png", ""]])
    func aCommandLineThatMakesNoSenseIsRefused(arguments: [String]) throws {
        try folder.write(Self.png(), to: "in.png")
        let result = try ProgramOutcome(of: Self.program, arguments, in: folder)
        #expect(result.status == 64)
        #expect(result.errors.contains("Usage: jpngtool inputfile [outputfile] [quality]"))
        #expect(try folder.paths() == ["in.png"])
    }

    @Test("An input is overwritten only when it is named as the output")
    func anInputIsNotReplacedByChance() throws {
        let file = try Self.picture().jpngData()
        try folder.write(file, to: "in.jpng")
        #expect(try run("in.jpng").status == 64)
        #expect(try folder.read("in.jpng") == file)
        #expect(try run("in.jpng", "in.jpng", "0.3").status == 0)
        #expect(try folder.read("in.jpng").count < file.count)
    }

    @Test("An existing output is replaced")
    func anOutputThatIsThereIsReplaced() throws {
        try folder.write(Self.png(), to: "in.png")
        try folder.write([1, 2, 3], to: "in.jpng")
        #expect(try run("in.png").status == 0)
        #expect(try Self.isJPNG(folder.read("in.jpng")))
    }

    @Test("Unreadable inputs leave no output")
    func whatCannotBeReadLeavesNothingBehind() throws {
        let png = try Self.png()
        try folder.write(Array(png.dropLast(png.count / 2)), to: "short.png")
        var damaged = try Self.picture().jpngData()
        damaged[damaged.count - 13] = 0xFF
        try folder.write(damaged, to: "damaged.jpng")
        try folder.write(Array("no picture".utf8), to: "text.png")
        try folder.write([], to: "empty.png")
        try FileManager.default.createDirectory(atPath: folder.path + "/folder.png", withIntermediateDirectories: true)
        try folder.write([7], to: "old.jpng")
        let before = try folder.paths()
        for input in ["short.png", "damaged.jpng", "text.png", "empty.png", "folder.png", "missing.png"] {
            let result = try run(input, "old.jpng")
            #expect(result.status == 1, "\(input)")
            #expect(result.errors.hasPrefix("jpngtool: "), "\(input)")
            #expect(result.errors.contains(input), "\(input)")
        }
        #expect(try folder.paths() == before)
        #expect(try folder.read("old.jpng") == [7])
    }

    @Test("An unwritable output is an error that names it")
    func whatCannotBeWrittenIsSaid() throws {
        try folder.write(Self.png(), to: "in.png")
        try folder.write([1], to: "file")
        let result = try run("in.png", "file/out.jpng")
        #expect(result.status == 1)
        #expect(result.errors.contains("file"))
        #expect(try folder.paths() == ["file", "in.png"])
    }

    @Test("Any readable format is accepted", arguments: [ImageFormat.jpeg, .png, .jpng])
    func anyReadableFormatIsTaken(format: ImageFormat) throws {
        try folder.write(try ImageDestination(format: format).encode(Self.picture()), to: "in.picture")
        #expect(try run("in.picture", "out.jpng").status == 0)
        #expect(try Self.isJPNG(folder.read("out.jpng")))
    }

    @Test("The orientation is applied")
    func theOrientationIsApplied() throws {
        let options = EncodingOptions(metadata: ImageMetadata(orientation: .right))
        try folder.write(try ImageDestination(format: .jpeg, options: options).encode(Self.picture()), to: "in.jpg")
        #expect(try run("in.jpg").status == 0)
        let header = try ImageSource.header(of: folder.read("in.jpng"))
        #expect(header.storedSize == PixelSize(width: 40, height: 60))
        #expect(header.metadata.orientation == .up)
    }

    /// As the readme prints it, but for the program's path. Twice, since people run it again.
    @Test("The readme's batch command works")
    func theBatchRecipeWorks() throws {
        for name in ["one.png", "sub/two.png", "sub/with space.png"] { try folder.write(Self.png(), to: name) }
        let recipe = #"find ./ -name \*.png | sed 's/\.png//g' | xargs -I % -n 1 \#(Self.program) %.png %.jpng 0.8"#
        for _ in 0..<2 {
            let result = try ProgramOutcome(of: "/bin/sh", ["-c", recipe], in: folder)
            #expect(result.status == 0)
            #expect(result.errors.isEmpty)
        }
        #expect(
            try folder.paths().filter { $0.hasSuffix("png") } == [
                "one.jpng", "one.png", "sub/two.jpng", "sub/two.png", "sub/with space.jpng", "sub/with space.png",
            ])
        for name in ["one.jpng", "sub/two.jpng", "sub/with space.jpng"] {
            #expect(try Self.isJPNG(folder.read(name)))
        }
    }

    @Test("Help and version are printed")
    func helpAndVersionArePrinted() throws {
        let help = try run("--help")
        #expect(help.status == 0)
        for word in ["inputfile [outputfile] [quality]", "0.94", "replaced", "xargs"] {
            #expect(help.text.contains(word))
        }
        let version = try run("--version")
        #expect(version.status == 0)
        #expect(version.text.hasPrefix("jpngtool "))
    }
}
