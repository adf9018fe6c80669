/// As much of some bytes as is needed to tell their format.
public struct FormatProbe: ~Escapable {
    /// The first bytes; all of them when `totalByteCount` says so.
    public let prefix: RawSpan
    /// The last bytes where they can be had, else empty. They may overlap the first.
    public let suffix: RawSpan
    /// How many bytes there are in all; nil while they are still arriving.
    public let totalByteCount: Int?

    /// A look at the beginning of bytes that are still arriving, or at their beginning and end.
    @_lifetime(copy prefix, copy suffix)
    public init(prefix: RawSpan, suffix: RawSpan, totalByteCount: Int?) {
        self.prefix = prefix
        self.suffix = suffix
        self.totalByteCount = totalByteCount
    }

    /// A look at bytes that are all there.
    @_lifetime(copy bytes)
    public init(whole bytes: RawSpan) {
        self.init(prefix: bytes, suffix: bytes, totalByteCount: bytes.byteCount)
    }

    /// A look at the first bytes of a stream.
    @_lifetime(copy bytes)
    public init(streamPrefix bytes: RawSpan) {
        self.init(prefix: bytes, suffix: bytes.extracting(first: 0), totalByteCount: nil)
    }

    /// Whether the first bytes are `signature`: nil when there are too few to tell.
    public func starts(with signature: [UInt8]) -> Bool? {
        for index in 0..<min(signature.count, prefix.byteCount)
        where prefix.unsafeLoad(fromByteOffset: index, as: UInt8.self) != signature[index] {
            return false
        }
        if prefix.byteCount >= signature.count { return true }
        return isWhole ? false : nil
    }

    /// Whether the first bytes are all there are. With a known length they needn't be: a file may be read in small pieces.
    public var isWhole: Bool { totalByteCount.map { prefix.byteCount >= $0 } ?? false }
}
