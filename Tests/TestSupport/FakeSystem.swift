import Foundation

/// A folder with files as the system has them.
package final class FakeSystem {
    private let folder: TemporaryFolder
    /// Where it is.
    package var root: String { folder.path }

    /// One with these texts, by the paths that the system has them at.
    package init(_ files: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        for (path, text) in files { try write(text, to: path) }
    }

    /// Puts a file in the place of the one that is there, so that no reader sees half of it.
    package func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: root + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
    }
}
