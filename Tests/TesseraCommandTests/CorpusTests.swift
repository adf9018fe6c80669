import Foundation
import TestSupport
import Testing

/// Files that break the rules of their formats, each in a process of its own with a gigabyte to its name.
@Suite(.needsCorpus)
struct CorpusTests {
    private static let folder = "\(Corpus.folder ?? "")/invalid"
    private static let isSanitized = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil

    private static var files: [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.contains("/") }.sorted()
    }

    @Test(.enabled(if: !isSanitized, "a sanitizer takes memory of its own"), arguments: files)
    func isRefusedOrConvertedInAGigabyte(name: String) throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        // Data of a process: what it allocates and maps for itself, whether or not it uses it.
        process.arguments = [
            "-c", "ulimit -d 1048576; exec \"$0\" convert \"$1\" \"$2\"", Command.program, "\(Self.folder)/\(name)",
            folder.file("out.png"),
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect([0, 1].contains(process.terminationStatus))
        #expect(try folder.names() == (process.terminationStatus == 0 ? ["out.png"] : []))
    }
}
