public import ImageFormats

/// A tile as a file of its own.
public struct EncodedTile: Hashable, Sendable {
    /// The file's format.
    public let format: ImageFormat
    /// The file.
    public let bytes: [UInt8]

    /// A file of `format`.
    public init(format: ImageFormat, bytes: [UInt8]) {
        self.format = format
        self.bytes = bytes
    }
}
