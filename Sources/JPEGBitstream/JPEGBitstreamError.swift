/// An error in a JPEG's structure, with its offset.
public struct JPEGBitstreamError: Error, Hashable, Sendable {
    /// The kind of damage, for programs.
    public let code: Code

    /// A sentence on the damage, for people.
    public let message: String

    /// The byte at which the damaged marker or segment begins, counted from the JPEG's first byte.
    public let offset: Int

    /// An error of the given kind.
    public init(_ code: Code, _ message: String, offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension JPEGBitstreamError {
    /// The kinds of error, open to later additions.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the source.
        public let description: String

        private init(_ name: String) { description = name }

        // Names are ASCII. Comparing their bytes needs no tables of Unicode, which WebAssembly doesn't have.

        /// Whether two codes have the same name.
        public static func == (left: Code, right: Code) -> Bool {
            left.description.utf8.elementsEqual(right.description.utf8)
        }

        /// Adds the name to a hash.
        public func hash(into hasher: inout Hasher) {
            for byte in description.utf8 { hasher.combine(byte) }
        }

        /// The bytes don't begin with a start-of-image marker.
        public static let missingStartOfImage = Code("missingStartOfImage")
        /// The bytes end before the end-of-image marker.
        public static let truncated = Code("truncated")
        /// A segment's length is impossible for its marker.
        public static let invalidSegmentLength = Code("invalidSegmentLength")
        /// A marker stands where its kind isn't allowed.
        public static let unexpectedMarker = Code("unexpectedMarker")
        /// A frame header contradicts itself, or has no samples.
        public static let invalidFrame = Code("invalidFrame")
        /// A scan header contradicts itself.
        public static let invalidScan = Code("invalidScan")
        /// A Huffman table isn't a prefix code, or has symbols invalid for its kind.
        public static let invalidHuffmanTable = Code("invalidHuffmanTable")
        /// A quantisation table's number or precision is impossible.
        public static let invalidQuantizationTable = Code("invalidQuantizationTable")
        /// A scan's data has an invalid code, an invalid value, or a missing or surplus restart marker.
        public static let invalidEntropyData = Code("invalidEntropyData")
        /// The JPEG takes more memory, or has more scans, than its reader permits.
        public static let tooLarge = Code("tooLarge")
        /// The requested window is beyond the indexed part.
        public static let windowNotIndexed = Code("windowNotIndexed")
        /// The bytes aren't a serialized index, or of another version.
        public static let invalidIndex = Code("invalidIndex")
        /// The serialized index belongs to another file, or the file has changed.
        public static let otherSource = Code("otherSource")
    }
}

extension JPEGBitstreamError: CustomStringConvertible {
    /// The message with its byte offset.
    public var description: String { "\(message) (at byte \(offset))" }
}
