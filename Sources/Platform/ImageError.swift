/// What went wrong with a picture, as every public entry of Tessera reports it.
///
/// The code says what kind of failure it is and what a program may do about it; the message is for people.
public struct ImageError: Error, Hashable, Sendable {
    /// The kinds of failure. More may come, so compare with the members you know.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The bytes aren't in any registered format.
        public static let unknownFormat = Code(description: "unknown format")
        /// The bytes break the rules of their format.
        public static let corrupt = Code(description: "corrupt")
        /// The bytes end before the picture does.
        public static let truncated = Code(description: "truncated")
        /// The bytes are right but ask for something this build can't do.
        public static let unsupported = Code(description: "unsupported")
        /// The picture would need more than the limits allow.
        public static let limitExceeded = Code(description: "limit exceeded")
        /// A parameter given by the caller makes no sense.
        public static let invalidParameter = Code(description: "invalid parameter")
        /// Reading or writing failed.
        public static let inputOutput = Code(description: "input/output")
        /// Memory could not be had.
        public static let outOfMemory = Code(description: "out of memory")
        /// The work was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The process that was to decode the picture ended before it had, or said what can't be.
        public static let workerFailed = Code(description: "worker failed")
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong, and with which part, in a sentence without a full stop.
    public var message: String
    /// The offset in the input's bytes at which it was found, where that is known.
    public var byteOffset: Int?

    /// A failure of kind `code`.
    public init(_ code: Code, _ message: String, byteOffset: Int? = nil) {
        self.code = code
        self.message = message
        self.byteOffset = byteOffset
    }
}

extension ImageError: CustomStringConvertible {
    /// The message with where it applies, as a command prints it.
    public var description: String {
        guard let byteOffset else { return message }
        return "\(message) (at byte \(byteOffset))"
    }
}
