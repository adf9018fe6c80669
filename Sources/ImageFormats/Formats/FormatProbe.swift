/// The bytes of a file from which codecs identify its format.
public struct FormatProbe: ~Escapable {
    /// The first bytes; all of them if `totalByteCount` is their count.
    public let prefix: RawSpan
    /// The last bytes if available, else empty. They may overlap `prefix`.
    public let suffix: RawSpan
    /// The file's size in bytes; nil while bytes are still arriving.
    public let totalByteCount: Int?

    /// A probe of the beginning and end of a file, or of the beginning of bytes that are still arriving.
    @_lifetime(copy prefix, copy suffix)
    public init(prefix: RawSpan, suffix: RawSpan, totalByteCount: Int?) {
        self.prefix = prefix
        self.suffix = suffix
        self.totalByteCount = totalByteCount
    }

    /// A probe of complete data.
    @_lifetime(copy bytes)
    public init(whole bytes: RawSpan) {
        self.init(prefix: bytes, suffix: bytes, totalByteCount: bytes.byteCount)
    }

    /// A probe of the first bytes of a stream.
    @_lifetime(copy bytes)
    public init(streamPrefix bytes: RawSpan) {
        self.init(prefix: bytes, suffix: bytes.extracting(first: 0), totalByteCount: nil)
    }

    /// Whether the data starts with `signature`; nil if there are too few bytes to decide.
    public func starts(with signature: [UInt8]) -> Bool? {
        for index in 0..<min(signature.count, prefix.byteCount)
        where prefix.unsafeLoad(fromByteOffset: index, as: UInt8.self) != signature[index] {
            return false
        }
        if prefix.byteCount >= signature.count { return true }
        return isWhole ? false : nil
    }

    /// Matches the first bytes against the signatures of `format`.
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

    /// Whether `prefix` holds all bytes. It may hold fewer even if the length is known.
    public var isWhole: Bool { totalByteCount.map { prefix.byteCount >= $0 } ?? false }
}

/// The result of a codec's look at a file's first bytes.
public enum FormatMatch: Hashable, Sendable {
    /// The bytes appear to be in this format, with these traits.
    case match(ImageFormat, FormatTraits)
    /// There are too few bytes to decide; ask again with at least `minimum` bytes.
    case needMoreData(minimum: Int)
    /// The bytes are in another format.
    case unknown

    /// A match without traits: apparently a still image.
    public static func match(_ format: ImageFormat) -> FormatMatch { .match(format, []) }
}

/// Properties of a file that are apparent before its header is read.
public struct FormatTraits: OptionSet, Hashable, Sendable {
    /// The raw bits.
    public let rawValue: UInt8

    /// Traits with the given raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The file holds the frames of an animation.
    public static let animated = FormatTraits(rawValue: 1)
}
