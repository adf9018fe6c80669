/// Small files, of which the system makes many that have no length.
enum SmallFile {
    /// Far more than such files have.
    private static let limit = 1 << 16

    /// What is in the file at `path`; nil where it can't be read. What is beyond 64 KiB is left out.
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
