import TestSupport
import Testing

/// A short run of `Scripts/kill-test`.
@Suite("Programs killed while they write")
struct KillTests {
    @Test(
        "Named files are complete, and the originals stay", .needs(CommandLineTool("bash")),
        .timeLimit(.minutes(15)))
    func killed() throws {
        let folder = try TemporaryFolder()
        let outcome = try Command.run(
            [Repository.file("Scripts/kill-test"), "--count", "33", "--programs", BuiltProgram.folder]
                + (SystemForms.arePOSIX ? ["--parts-stay"] : []), in: folder, program: "/bin/bash")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix(" 0 failures\n"), "\(outcome.text)")
    }
}
