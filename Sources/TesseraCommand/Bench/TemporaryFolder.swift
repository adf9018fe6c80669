internal import Platform

/// A folder for temporary files, removed at the end of its owner's lifetime.
struct TemporaryFolder: ~Copyable {
    private let path: String
    private var names: [String] = []

    init() throws(CommandFailure) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/tessera-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure("no folder can be made in \(base): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the path for a file called `name`, which is removed with the folder.
    mutating func file(_ name: String) -> String {
        names.append(name)
        return "\(path)/\(name)"
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
