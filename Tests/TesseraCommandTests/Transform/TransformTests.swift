import Foundation
import ImageFormats
import Raster
import Tessera
import Testing
import TestSupport

/// Rotating, mirroring and cropping by coefficients.
@Suite("tessera transform")
struct TransformTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let jpegtran = CommandLineTool("jpegtran")
    private static let exiftool = CommandLineTool("exiftool")

    /// A photograph as a JPEG, of incomplete blocks at both edges.
    private func photograph(
        _ size: PixelSize = PixelSize(width: 75, height: 53), _ jpeg: EncodingOptions.JPEG = .standard,
        _ metadata: ImageMetadata = ImageMetadata()
    ) throws -> [UInt8] {
        try Pictures.photograph(size).file(.jpeg, EncodingOptions(quality: 0.9, metadata: metadata, jpeg: jpeg))
    }

    /// The bytes from the first table on: jpegtran writes a JFIF segment of its own.
    private func coded(_ file: [UInt8]) throws -> [UInt8] {
        let start = try #require(file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == 0xDB })
        return Array(file[start...])
    }

    private static let turns: [(ours: [String], theirs: [String])] = [
        ([], []), (["--rotate", "90"], ["-rotate", "90"]), (["--rotate", "180"], ["-rotate", "180"]),
        (["--rotate", "-90"], ["-rotate", "270"]), (["--flip", "horizontal"], ["-flip", "horizontal"]),
        (["--flip", "vertical"], ["-flip", "vertical"]),
        (["--rotate", "90", "--flip", "horizontal"], ["-transpose"]),
        (["--rotate", "270", "--flip", "horizontal"], ["-transverse"]),
    ]

    @Test(
        "Every turn of every subsampling is jpegtran's, byte for byte", .needs(jpegtran), arguments: turns,
        EncodingOptions.JPEG.Subsampling.allCases)
    func turnsAreThose(
        _ turn: (ours: [String], theirs: [String]), _ subsampling: EncodingOptions.JPEG.Subsampling
    ) throws {
        try folder.write(photograph(PixelSize(width: 75, height: 53), .init(subsampling: subsampling)), to: "a.jpg")
        for (edges, theirs) in [("keep", []), ("trim", ["-trim"])] as [(String, [String])] {
            let outcome = try Command.run(
                ["transform", "a.jpg", "b.jpg", "--force", "--edges", edges] + turn.ours, in: folder)
            #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
            try #require(
                try Self.jpegtran.run(
                    ["-optimize"] + turn.theirs + theirs + ["-outfile", folder.file("c.jpg"), folder.file("a.jpg")]))
            #expect(try coded(folder.read("b.jpg")) == coded(folder.read("c.jpg")), "\(edges)")
        }
    }

    @Test(
        "A large image's turns are jpegtran's too", .needs(jpegtran),
        arguments: EncodingOptions.JPEG.Subsampling.allCases)
    func largeTurns(_ subsampling: EncodingOptions.JPEG.Subsampling) throws {
        let size = PixelSize(width: 771, height: 1025)
        try folder.write(photograph(size, .init(subsampling: subsampling)), to: "a.jpg")
        for turn in [Self.turns[0], Self.turns[Self.turns.count - 1]] {
            #expect(try Command.run(["transform", "a.jpg", "b.jpg", "--force"] + turn.ours, in: folder).status == 0)
            try #require(
                try Self.jpegtran.run(
                    ["-optimize"] + turn.theirs + ["-outfile", folder.file("c.jpg"), folder.file("a.jpg")]))
            #expect(try coded(folder.read("b.jpg")) == coded(folder.read("c.jpg")))
        }
    }

    @Test(
        "Crops begin on a block, as jpegtran's do", .needs(jpegtran),
        arguments: [(16, 16, 32, 24), (17, 5, 30, 40), (0, 0, 75, 53), (64, 48, 11, 5), (3, 3, 1, 1)])
    func crops(_ x: Int, _ y: Int, _ width: Int, _ height: Int) throws {
        try folder.write(photograph(), to: "a.jpg")
        let outcome = try Command.run(
            "transform", "a.jpg", "b.jpg", "--crop", "\(x),\(y),\(width),\(height)", "--json", in: folder)
        #expect(outcome.status == 0)
        try #require(
            try Self.jpegtran.run([
                "-optimize", "-crop", "\(width)x\(height)+\(x)+\(y)", "-outfile", folder.file("c.jpg"),
                folder.file("a.jpg"),
            ]))
        #expect(try coded(folder.read("b.jpg")) == coded(folder.read("c.jpg")))
        #expect(outcome.text.contains("\"width\":\(width + x % 16),\"height\":\(height + y % 16)"))
        #expect(outcome.errors.contains("on whole blocks") == (x % 16 > 0 || y % 16 > 0))
    }

    @Test("The result is upright whatever the orientation was", arguments: Orientation.allCases)
    func putsUpright(_ orientation: Orientation) throws {
        // Whole blocks, so that every pixel is in its place.
        let size = PixelSize(width: 64, height: 48)
        let jpeg = EncodingOptions.JPEG(subsampling: .yuv444)
        try folder.write(photograph(size, jpeg, ImageMetadata(orientation: orientation)), to: "a.jpg")
        let outcome = try Command.run("transform", "a.jpg", "b.jpg", in: folder)
        #expect(outcome.status == 0)
        let (before, after) = (
            try ImageSource.decode(folder.read("a.jpg")), try ImageSource.decode(folder.read("b.jpg"))
        )
        #expect(after.header.metadata.orientation == .up)
        #expect(after.bitmap.size == before.bitmap.size)
        // The inverse transform rounds a mirrored block otherwise in a few samples.
        #expect(try after.bitmap.meanDifference(from: before.bitmap) < 0.5)
    }

    @Test("Four quarter turns give the file's coefficients back", .needs(jpegtran))
    func turnsAllAround() throws {
        try folder.write(photograph(PixelSize(width: 64, height: 48)), to: "0.jpg")
        for turn in 0..<4 {
            #expect(
                try Command.run("transform", "\(turn).jpg", "\(turn + 1).jpg", "--rotate", "90", in: folder).status == 0
            )
        }
        #expect(try Command.run("transform", "0.jpg", "same.jpg", in: folder).status == 0)
        #expect(try folder.read("4.jpg") == folder.read("same.jpg"))
    }

    @Test("EXIF, its thumbnail and all other metadata describe the result", .needs(exiftool))
    func keepsMetadata() throws {
        let options = EncodingOptions(
            quality: 0.9, embeddedThumbnailSize: 40,
            metadata: ImageMetadata(
                orientation: .right, xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8),
                resolution: .init(horizontal: 300, vertical: 150)))
        try folder.write(Pictures.photograph(PixelSize(width: 160, height: 96)).file(.jpeg, options), to: "a.jpg")
        try #require(
            try Self.exiftool.run([
                "-q", "-overwrite_original", "-Artist=Jane", "-IPTC:City=Paris", "-Comment=hello",
                "-ExifImageWidth=160", "-ExifImageHeight=96", folder.file("a.jpg"),
            ]))
        #expect(try Command.run("transform", "a.jpg", "b.jpg", "--crop", "0,0,96,64", in: folder).status == 0)
        let text = String(
            decoding: try #require(
                try Self.exiftool.output([
                    "-s3", "-n", "-p",
                    "$Artist $IPTC:City $Comment $IFD0:Orientation $ExifImageWidth $ExifImageHeight $ImageWidth $ImageHeight $JFIF:XResolution",
                    folder.file("b.jpg"),
                ])), as: UTF8.self)
        #expect(text == "Jane Paris hello 1 96 64 96 64 150\n")
        let header = try ImageSource.header(of: folder.read("b.jpg"))
        #expect(try header.metadata.embeddedThumbnailBitmap()?.size == PixelSize(width: 40, height: 27))
        let report = try Self.exiftool.output(["-validate", "-a", "-error", folder.file("b.jpg")])
        #expect(!String(decoding: try #require(report), as: UTF8.self).contains("Error"))
    }

    @Test("--progressive and --no-progressive choose the scans, and the input's are kept without")
    func choosesScans() throws {
        for isProgressive in [false, true] {
            try folder.write(
                photograph(PixelSize(width: 64, height: 48), .init(isProgressive: isProgressive)), to: "a.jpg")
            for (option, expected) in [
                ([], isProgressive), (["--progressive"], true), (["--no-progressive"], false),
            ] as [([String], Bool)] {
                #expect(try Command.run(["transform", "a.jpg", "b.jpg", "--force"] + option, in: folder).status == 0)
                #expect(try ImageSource.header(of: folder.read("b.jpg")).isProgressive == expected)
            }
        }
    }

    @Test("A folder is transformed in place, and its times stay")
    func transformsFolders() throws {
        try folder.write(photograph(PixelSize(width: 64, height: 48)), to: "a/1.jpg")
        try folder.write(photograph(PixelSize(width: 48, height: 64)), to: "a/b/2.jpeg")
        try folder.write(Pictures.cutout().file(.png), to: "a/3.png")
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file("a/1.jpg"))
        let outcome = try Command.run(
            "transform", "a", "--recursive", "--in-place", "--rotate", "90", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasPrefix("2 of 2 files transformed"))
        #expect(try ImageSource.header(of: folder.read("a/1.jpg")).size == PixelSize(width: 48, height: 64))
        #expect(try ImageSource.header(of: folder.read("a/b/2.jpeg")).size == PixelSize(width: 64, height: 48))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a/1.jpg"))
        #expect(attributes[.modificationDate] as? Date == date)
    }

    @Test(
        "What can't be done without loss is refused, and nothing is written",
        arguments: [
            Refusal("a.png", "b.jpg", status: 1, says: "`tessera convert` writes other formats"),
            Refusal("a.jpg", "b.png", status: 1, says: "b.png would be a JPEG"),
            Refusal("a.jpng", "b.jpg", status: 1, says: "this is a JPNG"),
            Refusal("a.jpg", "b.jpg", "--rotate", "90", "--edges", "refuse", status: 1, says: "incomplete blocks"),
            Refusal("a.jpg", "b.jpg", "--crop", "1,0,16,16", "--edges", "refuse", status: 1, says: "begins at 1,0"),
            Refusal("a.jpg", "b.jpg", "--crop", "60,0,16,16", status: 1, says: "isn't within the image of 75x53"),
            Refusal(
                "small.jpg", "b.jpg", "--flip", "horizontal", "--edges", "trim", status: 1, says: "nothing is left"),
            Refusal("cut.jpg", "b.jpg", status: 1, says: "cut.jpg: "),
            Refusal("damaged.jpg", "b.jpg", status: 1, says: "damaged.jpg: "),
            Refusal("lossless.jpg", "b.jpg", status: 1, says: "lossless.jpg: "),
            Refusal("a.jpg", "b.jpg", "--limits", "memory=1K", status: 1, says: "--limits memory=NUMBER"),
            Refusal("a.jpg", "b.jpg", "--limits", "pixels=10", status: 1, says: "--limits pixels=NUMBER"),
            Refusal("scans.jpg", "b.jpg", "--limits", "scans=2", status: 1, says: "scans"),
            Refusal("a.jpg", "there.jpg", status: 1, says: "there.jpg exists already"),
            Refusal("a.jpg", says: "give an output, --in-place or --output-dir FOLDER"),
            Refusal("a.jpg", "b.jpg", "--rotate", "45", says: "--rotate is 90, 180, 270 or -90"),
            Refusal("a.jpg", "b.jpg", "--crop", "1,2,3", says: "write left, top, width and height"),
            Refusal("a.jpg", "b.jpg", "--crop", "1,2,3,0", says: "write left, top, width and height"),
            Refusal("a.jpg", "b.jpg", "--flip", "diagonal", says: "diagonal"),
            Refusal("a.jpg", "b.jpg", "--quiet", "--verbose", says: "--quiet and --verbose exclude each other"),
        ])
    func refusals(_ refusal: Refusal) throws {
        let file = try photograph()
        try folder.write(file, to: "a.jpg")
        try folder.write(photograph(PixelSize(width: 5, height: 5)), to: "small.jpg")
        try folder.write(photograph(PixelSize(width: 64, height: 64), .init(isProgressive: true)), to: "scans.jpg")
        try folder.write(Array(file.dropLast(300)), to: "cut.jpg")
        var damaged = file
        let start = damaged.count / 2
        damaged.replaceSubrange(start..<(start + 40), with: repeatElement(0x5A, count: 40))
        damaged[start + 41] = 0xFF
        damaged[start + 42] = 0xD3
        try folder.write(damaged, to: "damaged.jpg")
        try folder.write(LosslessJPEG { $0.precision = 16 }.file, to: "lossless.jpg")
        try folder.write(Pictures.cutout().file(.png), to: "a.png")
        try folder.write(Pictures.cutout().file(.jpng), to: "a.jpng")
        try folder.write([1], to: "there.jpg")
        let before = try folder.names()
        let outcome = try Command.run(["transform"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status, "\(outcome.errors)")
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(try folder.names() == before)
    }
}
