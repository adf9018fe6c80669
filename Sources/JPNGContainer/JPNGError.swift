/// What is wrong with a JPNG file, and at which byte.
public struct JPNGError: Error, Hashable, Sendable {
    /// The kind of damage, for programs.
    public let code: Code

    /// One sentence on the damage, for people.
    public let message: String

    /// The byte of the file, counted from its start, at which the damaged field or part begins; nil where no file is at hand.
    public let offset: Int64?

    /// An error of the given kind.
    public init(_ code: Code, _ message: String, offset: Int64? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension JPNGError {
    /// The kinds of error, open to later additions.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the source.
        public let description: String

        private init(_ name: String) { description = name }

        /// There are fewer bytes than a footer has.
        public static let truncated = Code("truncated")
        /// The last four bytes are none of the identifiers of JPNG.
        public static let unknownIdentifier = Code("unknownIdentifier")
        /// The major version is neither 1 nor 2.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The footer gives itself a size that its version can't have.
        public static let invalidFooterSize = Code("invalidFooterSize")
        /// The parts, by the sizes in the footer, don't fit before it.
        public static let sizesExceedFile = Code("sizesExceedFile")
        /// The colour part doesn't begin as a JPEG.
        public static let invalidColorPart = Code("invalidColorPart")
        /// The mask part begins neither as a PNG nor as a JPEG.
        public static let invalidMaskPart = Code("invalidMaskPart")
        /// A part to be written has more bytes than a footer can say.
        public static let partTooLarge = Code("partTooLarge")
    }
}

extension JPNGError: CustomStringConvertible {
    /// The message, with the byte offset where it is known.
    public var description: String {
        guard let offset else { return message }
        return "\(message) (at byte \(offset))"
    }
}
