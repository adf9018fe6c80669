import Foundation
import Tessera
import Testing
import TestSupport

/// What can't be done: a message that says what and what to do, a status, and no file.
@Suite("tessera convert: refusals")
struct ConvertRefusalTests {
    private static let refusals = [
        Refusal(says: "Missing expected argument"),
        Refusal("a.png", says: "give an output, --to FORMAT or --output-dir FOLDER"),
        Refusal("missing.png", "out.jpg", status: 1, says: "missing.png can't be read: No such file or directory"),
        Refusal("folder", "out.jpg", says: "folder is a folder"),
        Refusal("a.png", "out.xyz", says: "unknown extension \"xyz\""),
        Refusal("a.png", "out", says: "no extension"),
        Refusal("a.png", "--to", "xyz", says: "'xyz' is invalid for '--to <format>'"),
        Refusal("a.png", "out.jpg", "--quality", "2", says: "a quality of 2.0 is not between 0 and 1"),
        Refusal("a.png", "out.jpg", "--quality=-0.1", says: "a quality of -0.1 is not between 0 and 1"),
        Refusal("a.png", "out.jpg", "--quality", "80", says: "did you mean 0.8?"),
        Refusal("a.png", "out.jpg", "--quality", "nan", says: "a quality of nan is not between 0 and 1"),
        Refusal("a.png", "out.jpg", "--quality", "good", says: "'good' is invalid for '--quality <quality>'"),
        Refusal("a.png", "out.jpng", "--mask-quality", "1.5", says: "a quality of 1.5 is not between 0 and 1"),
        Refusal("a.png", "out.jpng", "--jpng-version", "3", says: "JPNG has versions 1 and 2, not 3"),
        Refusal(
            "a.png", "out.png", "--compression-level", "10", says: "a compression level of 10 is not between 0 and 9"),
        Refusal("a.png", "out.webp", "--webp-method", "7", says: "a WebP method of 7 is not between 0 and 6"),
        Refusal("a.png", "out.gif", "--colors", "many", says: "'many' is invalid for '--colors <count>'"),
        Refusal("a.png", "out.tif", "--tile", "16", says: "write a width and a height in pixels"),
        Refusal("a.png", "out.tif", "--tile", "24x16", says: "sides that are not multiples of 16"),
        Refusal("a.png", "out.tif", "--tiff-compression", "zip", says: "write one of none, lzw, deflate, jpeg"),
        Refusal("a.png", "out.jpg", "--progressive=yes", says: "--progressive"),
        Refusal(
            "a.png", "out.png", "--progressive",
            says: "--progressive has no effect on PNG; it is an option for JPNG, JPEG"),
        Refusal("a.png", "b.png", "--to", "jpg", "--tile", "16x16", says: "--tile has no effect on JPEG"),
        Refusal("a.png", "out.jpg", "--size", "0x0", says: "both sides must be at least 1"),
        Refusal("a.png", "out.jpg", "--size=-1x5", says: "both sides must be at least 1"),
        Refusal("a.png", "out.jpg", "--size", "abc", says: "write a width and a height in pixels, as in 400x300"),
        Refusal("a.png", "out.jpg", "--size", "99999999999999999999x1", says: "write a width and a height"),
        Refusal("a.png", "out.jpg", "--depth", "12", says: "--depth is 8 or 16, not 12"),
        Refusal("a.png", "out.jpg", "--jobs", "0", says: "--jobs must be at least 1"),
        Refusal("a.png", "out.jpg", "--force", "--update", says: "--force, --skip-existing and --update exclude"),
        Refusal("a.png", "out.jpg", "--color", "lab", says: "'lab' is invalid for '--color <color>'"),
        Refusal("a.png", "out.jpg", "--background", "whitest", says: "by its name in CSS or in hexadecimal digits"),
        Refusal("a.png", "out.jpg", "--background", "#33669980", says: "a background can't be transparent"),
        Refusal("a.png", "out.jpg", "--size", "x", says: "as in 400x300, 400x or x300"),
        Refusal("a.png", "out.jpg", "--size", "0%", says: "above 0%, as in 50%"),
        Refusal("a.png", "out.jpg", "--max-bytes", "5Q", says: "as in 200000 or 500K"),
        Refusal("a.png", "out.jpg", "--subsampling", "4:2:1", says: "write one of 4:4:4"),
        Refusal("a.png", "out.jpg", "--smallest", says: "use it with --to jpng"),
        Refusal("a.png", "b.png", "out.jpg", says: "the last name must be a folder"),
        Refusal("a.png", "b.png", "-", says: "the last name must be a folder"),
        Refusal("a.png", "-", says: "use --to FORMAT"),
        Refusal("-", "-d", "out", "--to", "png", says: "standard input has no name"),
        Refusal(
            "a.png", "nowhere/out.jpg", status: 1, says: "nowhere/out.jpg can't be written: No such file or directory"),
        Refusal("a.png", "b.png/out.jpg", status: 1, says: "b.png/out.jpg can't be written: Not a directory"),
        Refusal("a.png", "b.png", status: 1, says: "b.png exists already; --force replaces it"),
        Refusal("a.png", "a.png", status: 1, says: "a.png exists already; --force replaces it"),
        Refusal("empty.png", "out.jpg", status: 1, says: "empty.png: there are no bytes"),
        Refusal("text.png", "out.jpg", status: 1, says: "text.png: the bytes are not in any format"),
        Refusal("truncated.png", "out.jpg", status: 1, says: "truncated.png: "),
        Refusal("truncated.jpg", "out.png", status: 1, says: "truncated.jpg: "),
        Refusal("truncated.jpng", "out.png", status: 1, says: "truncated.jpng: "),
        Refusal("maskless.jpng", "out.png", status: 1, says: "maskless.jpng: it is called a JPNG, but the footer"),
        Refusal(
            "hostile.jpng", "out.png", status: 1, says: "hostile.jpng: its transparency can't be found: the footer"),
        Refusal("a.png", "out.jpg", "--frobnicate", says: "Unknown option '--frobnicate'"),
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        let cutout = try Pictures.cutout()
        for name in ["a.png", "b.png"] { try folder.write(cutout.file(.png), to: name) }
        try folder.write([], to: "empty.png")
        try folder.write(Array("This is no picture.".utf8), to: "text.png")
        try folder.write(cutout.file(.png).dropLast(600), to: "truncated.png")
        try folder.write(Pictures.photograph().file(.jpeg).dropLast(300), to: "truncated.jpg")
        let jpng = try cutout.file(.jpng)
        try folder.write(jpng.dropLast(jpng.count * 3 / 4), to: "truncated.jpng")
        try folder.write(jpng.dropLast(30), to: "maskless.jpng")
        var hostile = jpng
        hostile.replaceSubrange(hostile.count - 16..<hostile.count - 8, with: [UInt8](repeating: 0xFF, count: 8))
        try folder.write(hostile, to: "hostile.jpng")
    }

    @Test("Invalid calls are refused with the reason", arguments: refusals)
    func saysWhatIsWrong(_ refusal: Refusal) throws {
        let before = try folder.names()
        let outcome = try Command.run(["convert"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status)
        #expect(outcome.errors.hasPrefix("Error: "))
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(try folder.names() == before)
    }

    @Test("An unwritable folder is reported", .enabled(if: getuid() != 0, "root may write anywhere"))
    func saysThatAFolderCantBeWrittenTo() throws {
        #expect(chmod(folder.file("folder"), 0o555) == 0)
        let outcome = try Command.run("convert", "a.png", "folder/out.jpg", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("folder/out.jpg can't be written: Permission denied"))
    }

    @Test("A full device is an error, not a trap")
    func aFullDeviceIsAnErrorAndNoTrap() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.file("full.png"), withDestinationPath: "/dev/full")
        let outcome = try Command.run("convert", "a.png", "full.png", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "Error: full.png can't be written: No space left on device\n")
    }
}
