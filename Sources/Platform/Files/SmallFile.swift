/// Small files, such as the system's files of unknown length under `/proc`.
enum SmallFile {
    /// Far more than such files hold.
    private static let limit = 1 << 16

    /// The content of the file at `path`; nil if it can't be read. Anything beyond 64 KiB is left out.
    static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor(reading: path) else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            // Used within the call only.
            let count = bytes.withUnsafeMutableBytes {
                try? file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
            }
            guard let count else { return nil }
            if count == 0 { break }
            filled += count
        }
        return String(decoding: bytes[..<filled], as: UTF8.self)
    }
}
