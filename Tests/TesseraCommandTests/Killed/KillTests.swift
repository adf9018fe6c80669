import Foundation
import TestSupport
import Testing

/// A short run of `Scripts/kill-test`.
@Suite("Killed in mid-write")
struct KillTests {
    @Test(
        "Whatever has a name is whole, and the originals stay", .needs(CommandLineTool("bash")),
        .timeLimit(.minutes(15)))
    func killed() throws {
        let folder = try TemporaryFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scripts/kill-test").path
        let programs = URL(fileURLWithPath: Command.program).deletingLastPathComponent().path
        let outcome = try Command.run(
            [script, "--count", "33", "--programs", programs], in: folder, program: "/bin/bash")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix(" 0 failures\n"), "\(outcome.text)")
    }
}
