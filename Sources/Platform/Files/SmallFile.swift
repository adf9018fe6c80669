/// Small files, such as the system's files of unknown length under `/proc`.
enum SmallFile {
    /// Far more than such files hold.
    private static let limit = 1 << 16

    /// The content of the file at `path`; nil if it can't be read. Anything beyond 64 KiB is left out.
    static func text(_ path: String) -> String? {
        guard let bytes = try? FileDescriptor(opening: path, O_RDONLY, purpose: .reading).bytes(limit, at: 0) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
