/// The error that every public entry point of Tessera throws.
///
/// The code gives the kind of failure, for programs; the message is for people.
public struct ImageError: Error, Hashable, Sendable {
    /// The kinds of failure. More may be added, so compare with the members you know.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// No registered format recognises the bytes.
        public static let unknownFormat = Code(description: "unknown format")
        /// The bytes violate their format's specification.
        public static let corrupt = Code(description: "corrupt")
        /// The bytes end before the image does.
        public static let truncated = Code(description: "truncated")
        /// The bytes are valid but use a feature that this build doesn't support.
        public static let unsupported = Code(description: "unsupported")
        /// The image exceeds the limits.
        public static let limitExceeded = Code(description: "limit exceeded")
        /// The caller passed an invalid parameter.
        public static let invalidParameter = Code(description: "invalid parameter")
        /// Reading or writing failed.
        public static let inputOutput = Code(description: "input/output")
        /// Memory could not be allocated.
        public static let outOfMemory = Code(description: "out of memory")
        /// The work was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The decoder process ended early or sent an invalid reply.
        public static let workerFailed = Code(description: "worker failed")
    }

    /// The kind of failure.
    public var code: Code
    /// The failure and its place, in a sentence without a full stop.
    public var message: String
    /// The offset in the input at which the failure was found, if known.
    public var byteOffset: Int?

    /// A failure of kind `code`.
    public init(_ code: Code, _ message: String, byteOffset: Int? = nil) {
        self.code = code
        self.message = message
        self.byteOffset = byteOffset
    }
}

extension ImageError: CustomStringConvertible {
    /// The message and its offset, as a command prints it.
    public var description: String {
        guard let byteOffset else { return message }
        return "\(message) (at byte \(byteOffset))"
    }
}
