import Foundation
import TestSupport
import Testing

/// Files that break the rules of their formats, each in a process of its own with a gigabyte to its name.
@Suite("tessera convert: invalid files", .needsCorpus)
struct CorpusTests {
    private static let folder = "\(Corpus.folder ?? "")/invalid"

    private static var files: [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.contains("/") }.sorted()
    }

    @Test(
        "A damaged file is refused or converted within a gigabyte",
        .enabled(if: !Sanitizer.isForThreads, "the sanitizer takes memory of its own"), arguments: files)
    func isRefusedOrConvertedInAGigabyte(name: String) throws {
        let folder = try TemporaryFolder()
        // Data of a process: what it allocates and maps for itself, whether or not it uses it.
        let outcome = try Command.run(
            [
                "-c", "ulimit -d 1048576; exec \"$0\" convert \"$1\" \"$2\"", Command.program,
                "\(Self.folder)/\(name)", folder.file("out.png"),
            ], in: folder, program: "/bin/bash")
        #expect([0, 1].contains(outcome.status))
        #expect(try folder.names() == (outcome.status == 0 ? ["out.png"] : []))
    }
}
