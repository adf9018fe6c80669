import TestSupport
import Testing

/// `Scripts/server-attacks`, in short: what a client without a key can do to a server with default settings.
@Suite("Attacks on a server")
struct ServerAttackTests {
    @Test(
        "The server's memory is bounded, and thumbnails are still made", .needs(.python),
        .needsNoSanitizer("a sanitizer takes memory of its own"), .timeLimit(.minutes(15)))
    func attacks() throws {
        let folder = try TemporaryFolder()
        let outcome = try Command.run(
            [Repository.file("Scripts/server-attacks"), "--programs", BuiltProgram.folder, "--short"], in: folder,
            program: try #require(CommandLineTool.python.path))
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains(" held, ") && !outcome.text.contains(" broken: "), "\(outcome.text)")
    }
}
