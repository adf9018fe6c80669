/// The last bytes of a JPNG file: the sizes of its parts, its version and its identifier.
///
/// The sixteen known bytes are always the file's last, every field little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | ``imageSize`` |
/// | 4 | 4 | ``maskSize`` |
/// | 8 | 2 | ``footerSize`` |
/// | 10 | 1 | ``majorVersion`` |
/// | 11 | 1 | ``minorVersion`` |
/// | 12 | 4 | ``identifier`` |
///
/// A later minor version may insert fields before them; ``footerSize`` then includes those.
public struct JPNGFooter: Hashable, Sendable {
    /// The number of bytes of a footer as written, and the number needed to read any.
    public static let size = 16

    /// The bytes of the colour part, which begins at the file's first byte.
    public let imageSize: UInt32
    /// The bytes of the mask, which follows the colour part.
    public let maskSize: UInt32
    /// The bytes of the whole footer: 16, or more in a later minor version.
    public let footerSize: UInt16
    /// The major format version, 1 or 2. It announces the mask's kind; the mask's signature decides.
    public let majorVersion: UInt8
    /// The minor format version; all are read alike.
    public let minorVersion: UInt8
    /// The form of the identifier.
    public let identifier: Identifier

    /// The footer to write after a colour part and a mask of the given sizes in bytes: sixteen bytes, minor version 0.
    ///
    /// Throws ``JPNGError/Code/partTooLarge`` for a size that is negative or doesn't fit 32 bits.
    public init(imageSize: Int, maskSize: Int, maskKind: JPNGMaskKind) throws(JPNGError) {
        self.imageSize = try Self.field("colour part", imageSize)
        self.maskSize = try Self.field("mask", maskSize)
        footerSize = UInt16(Self.size)
        majorVersion = maskKind.majorVersion
        minorVersion = 0
        identifier = .standard
    }

    private static func field(_ part: String, _ size: Int) throws(JPNGError) -> UInt32 {
        guard let field = UInt32(exactly: size) else {
            throw JPNGError(.partTooLarge, "the \(part) has \(size) bytes; a JPNG part can have at most \(UInt32.max)")
        }
        return field
    }

    /// The sixteen bytes of the footer as they end a file.
    ///
    /// Fields of later minor versions are not kept.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        func append(_ value: some FixedWidthInteger) {
            for shift in stride(from: 0, to: value.bitWidth, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        append(imageSize)
        append(maskSize)
        append(UInt16(Self.size))
        append(majorVersion)
        append(minorVersion)
        append(identifier.rawValue)
        return bytes
    }

    /// The range of the colour part in the file.
    public var colorRange: Range<Int64> { 0..<Int64(imageSize) }

    /// The range of the mask in the file.
    public var maskRange: Range<Int64> { Int64(imageSize)..<Int64(imageSize) + Int64(maskSize) }
}

extension JPNGFooter {
    /// Reads the footer from the end of a file.
    ///
    /// `tail` holds the file's last bytes, at least sixteen, or the whole file; `totalLength` is the file's length in bytes.
    /// Allocates nothing; sizes are added in 64 bits.
    ///
    /// Returns nil if there is no identifier: the file isn't a JPNG. Throws if there is one but the version or a size isn't
    /// valid for a file of this length. A file shorter than a footer has no identifier.
    public static func read(tail: RawSpan, totalLength: Int64) throws(JPNGError) -> JPNGFooter? {
        guard tail.byteCount >= size, Identifier(rawValue: tail.littleEndianUInt32(at: tail.byteCount - 4)) != nil
        else { return nil }
        return try JPNGFooter(tail: tail, totalLength: totalLength)
    }

    /// Reads the footer from the end of a file that must have one; otherwise as ``read(tail:totalLength:)``.
    ///
    /// Throws ``JPNGError/Code/truncated`` and ``JPNGError/Code/unknownIdentifier`` where that returns nil.
    public init(tail: RawSpan, totalLength: Int64) throws(JPNGError) {
        guard tail.byteCount >= Self.size, totalLength >= Int64(Self.size) else {
            throw JPNGError(
                .truncated,
                "the file has \(min(totalLength, Int64(tail.byteCount))) bytes, fewer than a JPNG footer's 16",
                offset: 0)
        }
        let start = totalLength - Int64(Self.size)
        let base = tail.byteCount - Self.size
        guard let identifier = Identifier(rawValue: tail.littleEndianUInt32(at: base + 12)) else {
            throw JPNGError(
                .unknownIdentifier,
                "the last four bytes aren't a JPNG identifier: the file isn't a JPNG, or is truncated",
                offset: start + 12)
        }
        imageSize = tail.littleEndianUInt32(at: base)
        maskSize = tail.littleEndianUInt32(at: base + 4)
        footerSize = tail.littleEndianUInt16(at: base + 8)
        majorVersion = tail.byte(at: base + 10)
        minorVersion = tail.byte(at: base + 11)
        self.identifier = identifier
        try check(totalLength: totalLength, start: start)
    }

    private func check(totalLength: Int64, start: Int64) throws(JPNGError) {
        // No writer ever produced version 0: the file is damaged.
        guard majorVersion == 1 || majorVersion == 2 else {
            throw JPNGError(
                .unsupportedVersion, "JPNG version \(majorVersion).\(minorVersion) is not supported; 1 and 2 are",
                offset: start + 10)
        }
        let known = UInt16(Self.size)
        guard footerSize == known || (footerSize > known && minorVersion > 0) else {
            throw JPNGError(
                .invalidFooterSize,
                "a JPNG footer of version \(majorVersion).\(minorVersion) can't have \(footerSize) bytes",
                offset: start + 8)
        }
        let available = totalLength - Int64(footerSize)
        guard maskRange.upperBound <= available else {
            throw JPNGError(
                .sizesExceedFile,
                """
                the footer gives the colour part \(imageSize) bytes and the mask \(maskSize), \
                but the file has \(max(available, 0)) before its footer
                """,
                offset: start)
        }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of a JPNG file: the four-character constant 'JPNG'.
///
/// It is the last field of a ``JPNGFooter`` and, like every field there, stored little-endian: on disk the last four bytes of
/// a JPNG file are `47 4E 50 4A`, "GNPJ". ``JPNGFooter/Identifier`` lists the two other forms found in files.
public let JPNGIdentifier: UInt32 = 0x4A50_4E47

extension JPNGFooter {
    /// The forms of the identifier found in files; the raw value is the field as read little-endian.
    public enum Identifier: UInt32, CaseIterable, Sendable {
        /// The constant 'JPNG' stored little-endian, "GNPJ": written by this package and by release 1.2 and later.
        case standard = 0x4A50_4E47
        /// The constant 'JPEG' stored little-endian, "GEPJ": a typing error in the original's releases 1.0 to 1.1.3.
        case misspelled = 0x4A50_4547
        /// The letters "JPNG" in reading order, from writers that followed the format's description literally.
        case literal = 0x474E_504A

        /// The last four bytes of the file as letters, in the order in which they are stored.
        public var spelling: String {
            switch self {
            case .standard: "GNPJ"
            case .misspelled: "GEPJ"
            case .literal: "JPNG"
            }
        }
    }
}

/// The format of a mask, by its signature.
public enum JPNGMaskKind: String, CaseIterable, Sendable {
    /// A grey PNG: format version 1.
    case png
    /// A grey JPEG: format version 2.
    case jpeg

    /// The number of bytes needed to recognise every kind.
    public static let signatureSize = 8

    /// The kind by the first bytes: PNG's eight-byte signature or JPEG's start-of-image marker; nil for others.
    public init?(signature bytes: RawSpan) {
        if bytes.startsAsJPEG {
            self = .jpeg
        } else if bytes.startsAsPNG {
            self = .png
        } else {
            return nil
        }
    }

    /// The major format version that announces a mask of this kind.
    public var majorVersion: UInt8 {
        switch self {
        case .png: 1
        case .jpeg: 2
        }
    }
}
