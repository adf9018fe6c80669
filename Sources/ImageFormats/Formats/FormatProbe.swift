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

    /// What the first bytes say of a format that is known by its signatures.
    package func match(_ format: ImageFormat) -> FormatMatch {
        var needed = 0
        for signature in format.signatures {
            switch starts(with: signature) {
            case true: return .match(format)
            case nil: needed = max(needed, signature.count)
            default: break
            }
        }
        return needed > 0 ? .needMoreData(minimum: needed) : .unknown
    }

    /// Whether the first bytes are all there are. With a known length they needn't be: a file may be read in small pieces.
    public var isWhole: Bool { totalByteCount.map { prefix.byteCount >= $0 } ?? false }
}

/// What a codec says of some bytes.
public enum FormatMatch: Hashable, Sendable {
    /// They are this format, as far as can be seen, with these traits.
    case match(ImageFormat, FormatTraits)
    /// Too few to tell; ask again with at least `minimum` bytes.
    case needMoreData(minimum: Int)
    /// They are something else.
    case unknown

    /// They are this format, a still as far as can be seen.
    public static func match(_ format: ImageFormat) -> FormatMatch { .match(format, []) }
}

/// What can be told of a file beside its format before its header is read.
public struct FormatTraits: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Traits of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It holds frames to be shown one after the other.
    public static let animated = FormatTraits(rawValue: 1)
}
