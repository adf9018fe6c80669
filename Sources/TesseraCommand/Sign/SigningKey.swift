#if Server
internal import Tessera

/// The key in a file by which addresses are signed.
enum SigningKey {
    /// The bytes of the file at `path`, without a line end after them.
    /// - Throws: `CommandFailure` for a key that could be guessed, `ImageError` for a file that can't be read.
    static func read(_ path: String) throws -> [UInt8] {
        var key = try WholeFile.read(path)[...]
        while let last = key.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { key.removeLast() }
        guard (16...4096).contains(key.count) else {
            throw CommandFailure(
                "\(InputLocation(path)): a key has 16 to 4096 bytes, as from: openssl rand -hex 32 > \(path)")
        }
        return Array(key)
    }
}
#endif
