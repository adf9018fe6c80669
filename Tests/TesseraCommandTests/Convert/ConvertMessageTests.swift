import Tessera
import TestSupport
import Testing

/// What is on standard error when a library finds a file wrong: the program's message and no other.
@Suite("tessera convert: messages")
struct ConvertMessageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("An error is one line", arguments: [ImageFormat.jpegXL, .avif, .heic, .webP, .tiff, .jpeg])
    func isOne(format: ImageFormat) throws {
        var file = try Pictures.photograph().file(format)
        for offset in (file.count / 2)..<min(file.count / 2 + 40, file.count) { file[offset] ^= 0x5A }
        try folder.write(file, to: "a.\(format.filenameExtension)")
        let outcome = try Command.run("convert", "a.\(format.filenameExtension)", "b.png", in: folder)
        let lines = outcome.errors.split(separator: "\n")
        #expect(
            lines.allSatisfy { $0.hasPrefix("tessera") || $0.contains("a.\(format.filenameExtension)") }, "\(lines)")
        #expect(lines.count <= 1, "\(lines)")
    }
}
