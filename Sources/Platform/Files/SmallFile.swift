/// Small files, of which the system makes many that have no length.
enum SmallFile {
    /// Far more than such files have.
    private static let limit = 1 << 16

    /// What is in the file at `path`; nil where it can't be read. What is beyond 64 KiB is left out.
    static func text(_ path: String) -> String? {
        guard let bytes = try? FileDescriptor(opening: path, O_RDONLY, purpose: .reading).bytes(limit, at: 0) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
