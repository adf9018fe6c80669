/// What tells a file from another, and from itself before a change, for a ``JPEGTileIndex`` that is stored beside it.
public struct JPEGTileSource: Hashable, Sendable {
    /// How many bytes the file has, at least 0.
    public let byteCount: Int
    /// When the file was last modified, in nanoseconds since whenever; 0 where it isn't known.
    public let modification: Int64
    /// A hash of whatever the caller takes for telling; may be empty. Only the first 255 bytes count.
    public let hash: [UInt8]

    /// A file of the given number of bytes, time of modification and hash.
    public init(byteCount: Int, modification: Int64 = 0, hash: [UInt8] = []) {
        self.byteCount = byteCount
        self.modification = modification
        self.hash = Array(hash.prefix(255))
    }
}
