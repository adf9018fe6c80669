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
        let python = try #require(CommandLineTool.python.path)
        let script = Repository.file("Scripts/server-attacks")
        var attacks: [String] = []
        if SystemForms.arePOSIX {
            // POSIX can't give memory back to the system.
            let list = try Command.run([script, "--list"], in: folder, program: python)
            attacks = list.text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
            attacks.removeAll { $0 == "largest_admitted" }
            #expect(attacks.count > 5)
        }
        let outcome = try Command.run(
            [script, "--programs", BuiltProgram.folder, "--short"] + attacks, in: folder, program: python)
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains(" held, ") && !outcome.text.contains(" broken: "), "\(outcome.text)")
    }
}
