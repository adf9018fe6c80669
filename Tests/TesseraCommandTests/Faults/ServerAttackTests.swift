import Foundation
import TestSupport
import Testing

/// `Scripts/server-attacks`, in short: what a client without a key can do to a server with default settings.
@Suite("Attacks on a server")
struct ServerAttackTests {
    /// A sanitizer takes memory of its own.
    private static let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

    @Test(
        "Its memory is bounded, and thumbnails are made meanwhile", .needs(.python),
        .enabled(if: !isSanitized, "a sanitizer takes memory of its own"), .timeLimit(.minutes(15)))
    func attacks() throws {
        let folder = try TemporaryFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scripts/server-attacks")
            .path
        let programs = URL(fileURLWithPath: Command.program).deletingLastPathComponent().path
        let outcome = try Command.run(
            [script, "--programs", programs, "--short"], in: folder,
            program: try #require(CommandLineTool.python.path))
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains(" held, ") && !outcome.text.contains(" broken: "), "\(outcome.text)")
    }
}
