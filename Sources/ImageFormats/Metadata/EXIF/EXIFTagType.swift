/// The type of an entry's values in a TIFF structure (TIFF 6.0, section 2; EXIF 3.0 adds UTF-8).
enum EXIFTagType: Int {
    case byte = 1
    case ascii, short, long, rational, signedByte, undefined, signedShort, signedLong, signedRational, float, double
    /// A directory's offset (TIFF, technical note 1).
    case directory
    case utf8 = 129

    /// The length of one value in bytes.
    var byteCount: Int {
        switch self {
        case .byte, .ascii, .signedByte, .undefined, .utf8: 1
        case .short, .signedShort: 2
        case .long, .signedLong, .float, .directory: 4
        case .rational, .signedRational, .double: 8
        }
    }
}

/// The directories of an EXIF block that can be read and edited.
enum EXIFDirectoryKind: String, Hashable, CaseIterable, Sendable {
    /// The first directory, about the image.
    case image
    /// How it was taken (EXIF 2.32, 4.6.3).
    case details
    /// Where it was taken.
    case position

    /// The entry of the first directory that has the offset of this one; nil for the first directory.
    var pointer: Int? {
        switch self {
        case .image: nil
        case .details: 0x8769
        case .position: 0x8825
        }
    }
}

/// An entry of a directory, with its values.
struct EXIFEntry: Hashable, Sendable {
    var tag: Int
    var type: EXIFTagType
    /// The number of values.
    var count: Int
    /// The values' bytes, in the block's byte order.
    var value: [UInt8]
}
