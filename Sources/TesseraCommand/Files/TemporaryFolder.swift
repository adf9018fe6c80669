internal import Essentials
internal import Platform

/// A folder for temporary files, removed with everything in it at the end of its owner's lifetime.
struct TemporaryFolder: ~Copyable {
    /// The folder's path.
    let path: String

    /// Makes the folder in `TMPDIR`, or in `/tmp`.
    init() throws(ImageError) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/tessera-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ImageError(.inputOutput, "no folder can be made in \(base): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the path of a file called `name`.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
