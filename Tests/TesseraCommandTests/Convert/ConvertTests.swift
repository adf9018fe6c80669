import Foundation
import ImageFormats
import Raster
import Tessera
import Testing
import TestSupport

/// One picture to another.
@Suite("tessera convert")
struct ConvertTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.cutout().file(.png), to: "cutout.png")
    }

    private func decoded(_ name: String) throws -> DecodedImage { try ImageSource.decode(folder.read(name)) }

    @Test("An image is copied exactly")
    func copiesAPictureExactly() throws {
        let outcome = try Command.run("convert", "cutout.png", "copy.png", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "" && outcome.output.isEmpty)
        #expect(try folder.names() == ["copy.png", "cutout.png"])
        #expect(try decoded("copy.png").bitmap.tightBytes() == Pictures.cutout().tightBytes())
    }

    @Test("Standard input is converted to standard output")
    func readsStandardInputAndWritesStandardOutput() throws {
        let outcome = try Command.run("convert", "-", "-", "--to", "png", in: folder, input: folder.read("cutout.png"))
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(try ImageSource.decode(outcome.output).bitmap.tightBytes() == Pictures.cutout().tightBytes())
        #expect(try folder.names() == ["cutout.png"])
    }

    @Test("Standard input is converted to a file")
    func writesStandardInputToAFile() throws {
        let outcome = try Command.run("convert", "-", "copy.png", in: folder, input: folder.read("cutout.png"))
        #expect(outcome.status == 0)
        #expect(try decoded("copy.png").bitmap.size == PixelSize(width: 48, height: 32))
    }

    @Test("A file is replaced only with --force")
    func replacesAFileOnlyByForce() throws {
        try folder.write([1, 2, 3], to: "copy.png")
        let refused = try Command.run("convert", "cutout.png", "copy.png", in: folder)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("copy.png exists already; --force replaces it"))
        #expect(try folder.read("copy.png") == [1, 2, 3])
        #expect(try Command.run("convert", "cutout.png", "copy.png", "--force", in: folder).status == 0)
        #expect(try decoded("copy.png").bitmap.size == PixelSize(width: 48, height: 32))
    }

    @Test("With --force, an input can be its own output")
    func replacesItsOwnInputByForce() throws {
        let outcome = try Command.run("convert", "cutout.png", "cutout.png", "--force", in: folder)
        #expect(outcome.status == 0)
        #expect(try decoded("cutout.png").bitmap.tightBytes() == Pictures.cutout().tightBytes())
        #expect(try folder.names() == ["cutout.png"])
    }

    @Test("An existing folder can be the output")
    func writesIntoAnExistingFolder() throws {
        try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: false)
        #expect(try Command.run("convert", "cutout.png", "out", in: folder).status == 0)
        #expect(try decoded("out/cutout.png").error == nil)
    }

    @Test(
        "Images are reduced to a size and never enlarged",
        arguments: [
            ("24x24", PixelSize(width: 24, height: 16)), ("480x16", PixelSize(width: 24, height: 16)),
            ("1x1", PixelSize(width: 1, height: 1)), ("500x500", PixelSize(width: 48, height: 32)),
            ("24X16", PixelSize(width: 24, height: 16)),
        ])
    func fitsWithinASizeAndEnlargesNothing(_ size: String, _ expected: PixelSize) throws {
        #expect(try Command.run("convert", "cutout.png", "small.png", "--size", size, in: folder).status == 0)
        #expect(try decoded("small.png").bitmap.size == expected)
    }

    @Test("A background replaces transparency")
    func flattensOnABackground() throws {
        let outcome = try Command.run(
            "convert", "cutout.png", "flat.jpg", "--background", "0000ff", "--quality", "1", in: folder)
        #expect(outcome.status == 0)
        let picture = try decoded("flat.jpg")
        #expect(picture.header.format == .jpeg && !picture.header.hasAlpha)
        let corner = picture.bitmap.rows.row(0, as: RGBA8.self)[0]
        #expect(corner.blue > 200 && corner.red < 60)
    }

    @Test("Quality decides the file size")
    func qualityDecidesTheSize() throws {
        for (quality, name) in [("0.3", "low.jpg"), ("0.95", "high.jpg")] {
            #expect(try Command.run("convert", "cutout.png", name, "--quality", quality, in: folder).status == 0)
        }
        #expect(try folder.read("low.jpg").count < folder.read("high.jpg").count)
    }

    @Test("Encoding options reach the file")
    func encodingOptionsReachTheFile() throws {
        let outcome = try Command.run(
            "convert", "cutout.png", "a.jpg", "--progressive", "--subsampling", "444", in: folder)
        #expect(outcome.status == 0)
        #expect(try decoded("a.jpg").header.isProgressive)
    }

    @Test("Both versions of JPNG are written", arguments: [("1", [0x89, 0x50] as [UInt8]), ("2", [0xFF, 0xD8])])
    func writesBothVersionsOfJPNG(_ version: String, _ signature: [UInt8]) throws {
        #expect(try Command.run("convert", "cutout.png", "a.jpng", "--jpng-version", version, in: folder).status == 0)
        #expect(try Command.run("jpng", "split", "a.jpng", "color", "mask", in: folder).status == 0)
        #expect(try folder.read("mask").starts(with: signature))
        #expect(try decoded("a.jpng").header.format == .jpng)
    }

    @Test("PNG is chosen where it is smaller")
    func takesThePNGWhereItIsSmaller() throws {
        try folder.write(Pictures.flat().file(.png), to: "flat.png")
        let outcome = try Command.run(
            "convert", "flat.png", "--to", "jpng", "--smallest", "--output-dir", "out", in: folder)
        #expect(outcome.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == ["flat.png"])
        let plain = try Command.run("convert", "flat.png", "flat.jpng", in: folder)
        #expect(plain.status == 0)
        #expect(plain.errors.contains("--smallest"))
    }

    @Test("A smaller PNG is copied unchanged")
    func leavesAPNGThatIsSmallerAsItIs() throws {
        try folder.write(Pictures.flat().file(.png), to: "flat.png")
        let before = try folder.read("flat.png")
        let outcome = try Command.run("convert", "flat.png", "--to", "jpng", "--smallest", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("stays as it is"))
        #expect(try folder.names() == ["cutout.png", "flat.png"])
        #expect(try folder.read("flat.png") == before)
    }

    @Test("A damaged image is written as far as it goes, on request", arguments: [ImageFormat.png, .jpeg, .jpng])
    func writesWhatThereIsOfADamagedPicture(_ format: ImageFormat) throws {
        let bytes = try Pictures.cutout(PixelSize(width: 120, height: 80)).file(format)
        let damaged = "damaged.\(format.filenameExtension)"
        try folder.write(Array(bytes.prefix(bytes.count * 2 / 3)), to: damaged)
        #expect(try Command.run("convert", damaged, "part.png", in: folder).status == 1)
        #expect(!(try folder.names().contains("part.png")))
        let outcome = try Command.run("convert", damaged, "part.png", "--partial", "--size", "60x60", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasPrefix("\(damaged) is damaged: "))
        #expect(try decoded("part.png").bitmap.size == PixelSize(width: 60, height: 40))
    }

    @Test("An image with a wrong end isn't trusted")
    func doesNotTrustAPictureWhoseEndIsWrong() throws {
        // Every row is there, but the checksum after them isn't theirs.
        var bytes = try folder.read("cutout.png")
        bytes[bytes.count - 12 - 6] ^= 1
        try folder.write(bytes, to: "wrong.png")
        let outcome = try Command.run("convert", "wrong.png", "copy.png", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: wrong.png: "))
        #expect(try folder.names() == ["cutout.png", "wrong.png"])
    }

    @Test("16 bits are kept where the format has them")
    func keepsSixteenBitsWhereTheFormatHasThem() throws {
        var deep = try MutableBitmap(BitmapInfo(size: PixelSize(width: 3, height: 1), format: .gray16))
        var rows = deep.mutableRows
        var row = rows.row(0, as: Gray16.self)
        for x in 0..<3 { row[x] = Gray16(UInt16(x * 257 + 1)) }
        try folder.write(deep.freeze().file(.png), to: "deep.png")
        #expect(try Command.run("convert", "deep.png", "same.png", in: folder).status == 0)
        #expect(try Command.run("convert", "deep.png", "less.png", "--depth", "8", in: folder).status == 0)
        #expect(try ImageSource.header(of: folder.read("same.png")).bitsPerChannel == 16)
        #expect(try ImageSource.header(of: folder.read("less.png")).bitsPerChannel <= 8)
    }
}
