internal import Platform

/// A folder for files that nobody needs afterwards; it goes with its owner.
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

    /// The path for a file called `name`, which is removed at the end.
    mutating func file(_ name: String) -> String {
        names.append(name)
        return "\(path)/\(name)"
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
