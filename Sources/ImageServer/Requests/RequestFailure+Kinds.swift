extension RequestFailure {
    /// The request isn't written as it has to be.
    package static func malformed(_ message: String) -> RequestFailure { RequestFailure(400, message) }

    /// There is no such picture; the same words whatever the reason, so that nobody learns what else there is.
    package static let noSuchPicture = RequestFailure(404, "there is no such picture")

    /// Nothing has this address.
    package static let noSuchPage = RequestFailure(404, "there is nothing at this address")

    /// More than this server does, though it may be well-formed.
    package static func notImplemented(_ message: String) -> RequestFailure { RequestFailure(501, message) }
}
