import Foundation

/// A fresh folder, removed with all that is in it at the end.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "tessera-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name` in it.
    func file(_ name: String) -> String { path + "/" + name }

    /// The names of everything in it, hidden files too.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    /// Writes a file the plain way.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// Reads a file the plain way.
    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }
}
