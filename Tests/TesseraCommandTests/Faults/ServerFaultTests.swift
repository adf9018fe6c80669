import TestSupport
import Testing

/// `Scripts/server-faults`: the server as a process, among clients, disks and ends that it doesn't choose.
@Suite("Faults around a server")
struct ServerFaultTests {
    @Test(
        "The server reports failures, continues, and leaves nothing behind", .needs(.python),
        .needsNoSanitizer("a sanitizer takes memory of its own"), .timeLimit(.minutes(15)))
    func faults() throws {
        let folder = try TemporaryFolder()
        // Only Linux confines workers; elsewhere a server refuses --isolate.
        let omitted = SystemForms.arePOSIX ? ["--except", "workers_killed"] : []
        let outcome = try Command.run(
            [Repository.file("Scripts/server-faults"), "--programs", BuiltProgram.folder] + omitted, in: folder,
            program: try #require(CommandLineTool.python.path))
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains(" held, ") && !outcome.text.contains(" broken: "), "\(outcome.text)")
    }
}
