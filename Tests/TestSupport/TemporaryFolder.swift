import Foundation

/// A fresh folder, removed with all that is in it at the end.
package final class TemporaryFolder {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "tessera-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name` in it.
    package func file(_ name: String) -> String { path + "/" + name }

    /// The names of everything in it, or in a folder of it, hidden files too.
    package func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(folder)).sorted()
    }

    /// The paths of everything in it, below it too.
    package func paths() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }

    /// Writes a file the plain way, and makes the folders that it lies in.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let url = URL(fileURLWithPath: file(name))
        if name.contains("/") {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        try Data(bytes).write(to: url)
        return file(name)
    }

    /// Reads a file the plain way.
    package func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }
}
