/// What went wrong between here and a server.
public struct DataTransportFailure: Error, Hashable, Sendable {
    /// The kinds of failure. More may come, so compare with the members you know.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The reason's name.
        public let description: String

        /// No connection could be made: unknown name, nobody listens, no network.
        public static let cannotConnect = Reason(description: "can't connect")
        /// Making the connection, or the next bytes, took longer than allowed.
        public static let timedOut = Reason(description: "timed out")
        /// The connection ended before the response did.
        public static let connectionLost = Reason(description: "connection lost")
        /// No secure connection came about.
        public static let insecure = Reason(description: "no secure connection")
        /// There were too many redirections, or they went round in circles.
        public static let tooManyRedirects = Reason(description: "too many redirections")
        /// The proxy refused, or made no sense.
        public static let proxy = Reason(description: "proxy failure")
        /// What came isn't a response to the request.
        public static let invalidResponse = Reason(description: "invalid response")
        /// The request can't be sent as it is.
        public static let invalidRequest = Reason(description: "invalid request")
    }

    /// The kind of failure.
    public var reason: Reason
    /// What is wrong, in a sentence without a full stop.
    public var message: String

    /// A failure for `reason`.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Whether it may well succeed another time.
    public var isTransient: Bool {
        switch reason {
        case .cannotConnect, .timedOut, .connectionLost: true
        default: false
        }
    }
}

extension DataTransportFailure: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
