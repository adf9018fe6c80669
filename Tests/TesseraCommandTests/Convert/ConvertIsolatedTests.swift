import Foundation
import Tessera
import TestSupport
import Testing

/// The same files, whoever decodes.
@Suite(
    "tessera convert: isolated decoding",
    .needsLinux("nothing else keeps a worker from what it may not do (seccomp)"),
    .needsNoSanitizer("a sanitizer's workers do what they may not"))
struct ConvertIsolatedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "Isolated decoding writes the same files",
        arguments: [ImageFormat.jpeg, .png, .gif, .jpng, .webP, .tiff, .avif, .jpegXL, .bmp])
    func writesTheSame(format: ImageFormat) throws {
        let name = "a.\(format.filenameExtension)"
        try folder.write(Pictures.photograph().file(format), to: name)
        for arguments in [["--size", "20x20"], []] {
            #expect(try Command.run(["convert", name, "one.png", "--force"] + arguments, in: folder).status == 0)
            let outcome = try Command.run(
                ["convert", name, "two.png", "--force", "--isolate"] + arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try folder.read("one.png") == folder.read("two.png"))
        }
    }

    @Test("An operation that can't be isolated is refused")
    func refusesWhatIsDoneHere() throws {
        try folder.write(Pictures.photograph().file(.jpeg), to: "a.jpg")
        let outcome = try Command.run(
            "convert", "a.jpg", "a.jxl", "--lossless", "--keep", "all", "--isolate", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("can't be isolated"), "\(outcome.errors)")
        #expect(try folder.names() == ["a.jpg"])
    }

    @Test("A missing worker is reported")
    func saysThatTheWorkerIsMissing() throws {
        try folder.write(Pictures.photograph().file(.jpeg), to: "a.jpg")
        let outcome = try Command.run(
            ["convert", "a.jpg", "a.png", "--isolate"], in: folder, environment: ["TESSERA_DECODE_WORKER": "/bin/true"])
        #expect(outcome.status == 1 && outcome.errors.contains("ended with status 0"), "\(outcome.errors)")
    }

    @Test("JPEG 2000 is isolated without being asked", .enabled(if: CodecRegistry.default.canDecode(.jpeg2000)))
    func isolatesJPEG2000() throws {
        try folder.write(Pictures.photograph().file(.jpeg), to: "a.jpg")
        #expect(try Command.run("convert", "a.jpg", "a.jp2", in: folder).status == 0)
        let noWorker = ["TESSERA_DECODE_WORKER": "/bin/true"]
        for arguments in [["info", "a.jp2"], ["convert", "a.jp2", "b.png", "--force"]] {
            #expect(try Command.run(arguments, in: folder).status == 0)
            let outcome = try Command.run(arguments, in: folder, environment: noWorker)
            #expect(outcome.status == 1 && outcome.errors.contains("ended with status 0"), "\(outcome.errors)")
        }
    }
}
