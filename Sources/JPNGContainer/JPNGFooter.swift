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
/// A later minor version may put fields of its own before them; ``footerSize`` then counts those too.
public struct JPNGFooter: Hashable, Sendable {
    /// The number of bytes of a footer as written, and the number needed to read any.
    public static let size = 16

    /// The bytes of the colour part, which begins at the file's first byte.
    public let imageSize: UInt32
    /// The bytes of the mask, which follows the colour part.
    public let maskSize: UInt32
    /// The bytes of the whole footer: 16, or more in a minor version yet unknown.
    public let footerSize: UInt16
    /// The major format version, 1 or 2. It announces the mask's kind; the mask's own signature decides it.
    public let majorVersion: UInt8
    /// The minor format version; every one is read alike.
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
            throw JPNGError(.partTooLarge, "the \(part) has \(size) bytes; a JPNG footer can say at most \(UInt32.max)")
        }
        return field
    }

    /// The sixteen bytes of the footer as they end a file.
    ///
    /// Fields that a later minor version put before them are not kept.
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

    /// Where the colour part lies in the file.
    public var colorRange: Range<Int64> { 0..<Int64(imageSize) }

    /// Where the mask lies in the file.
    public var maskRange: Range<Int64> { Int64(imageSize)..<Int64(imageSize) + Int64(maskSize) }
}
