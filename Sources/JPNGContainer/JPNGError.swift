/// An invalid JPNG file, with the offset of the damage.
public struct JPNGError: Error, Hashable, Sendable {
    /// The kind of damage, for programs.
    public let code: Code

    /// A sentence on the damage, for people.
    public let message: String

    /// The offset in the file of the damaged field or part; nil if there is no file.
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

        /// The file is shorter than a footer.
        public static let truncated = Code("truncated")
        /// The last four bytes aren't a JPNG identifier.
        public static let unknownIdentifier = Code("unknownIdentifier")
        /// The major version is neither 1 nor 2.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The footer's size isn't valid for its version.
        public static let invalidFooterSize = Code("invalidFooterSize")
        /// The parts, by the sizes in the footer, don't fit into the file.
        public static let sizesExceedFile = Code("sizesExceedFile")
        /// The colour part doesn't begin as a JPEG.
        public static let invalidColorPart = Code("invalidColorPart")
        /// The mask part begins neither as a PNG nor as a JPEG.
        public static let invalidMaskPart = Code("invalidMaskPart")
        /// A part to write exceeds the footer's size fields.
        public static let partTooLarge = Code("partTooLarge")
    }
}

extension JPNGError: CustomStringConvertible {
    /// The message, with the byte offset if known.
    public var description: String {
        guard let offset else { return message }
        return "\(message) (at byte \(offset))"
    }
}
