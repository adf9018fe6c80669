import Foundation
import TestSupport
import Testing

/// `Scripts/server-faults`: the server as a process, among clients, disks and ends that it doesn't choose.
@Suite("Faults around a server")
struct ServerFaultTests {
    /// A sanitizer takes memory and descriptors of its own.
    private static let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

    @Test(
        "It says what failed, goes on, and leaves nothing behind", .needs(.python),
        .enabled(if: !isSanitized, "a sanitizer takes memory of its own"), .timeLimit(.minutes(15)))
    func faults() throws {
        let folder = try TemporaryFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scripts/server-faults")
            .path
        let programs = URL(fileURLWithPath: Command.program).deletingLastPathComponent().path
        // Only Linux confines workers; elsewhere a server refuses --isolate.
        let omitted = SystemForms.arePOSIX ? ["--except", "workers_killed"] : []
        let outcome = try Command.run(
            [script, "--programs", programs] + omitted, in: folder, program: try #require(CommandLineTool.python.path))
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains(" held, ") && !outcome.text.contains(" broken: "), "\(outcome.text)")
    }
}
