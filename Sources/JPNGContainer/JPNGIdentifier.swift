// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier of a JPNG file: the four-character constant 'JPNG'.
///
/// It is the last field of a ``JPNGFooter`` and, like every field there, stored little-endian: on disk the last four bytes of
/// a JPNG file are `47 4E 50 4A`, "GNPJ". ``JPNGFooter/Identifier`` also has the two other forms that a reader meets.
public let JPNGIdentifier: UInt32 = 0x4A50_4E47

extension JPNGFooter {
    /// The forms in which files carry the identifier; the raw value is the field as read little-endian.
    public enum Identifier: UInt32, CaseIterable, Sendable {
        /// The constant 'JPNG' stored little-endian, "GNPJ": what is written, and what files of release 1.2 and later have.
        case standard = 0x4A50_4E47
        /// The constant 'JPEG' stored little-endian, "GEPJ": a typing error in the original's releases 1.0 to 1.1.3.
        case misspelled = 0x4A50_4547
        /// The letters "JPNG" in reading order, from writers that took the format's description by its word.
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
