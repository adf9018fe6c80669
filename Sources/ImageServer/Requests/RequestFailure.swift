package import Raster

/// An HTTP error for a request, with a short message for people that reveals no file name of the server.
public struct RequestFailure: Error, Hashable, Sendable {
    /// The status code, 4xx or 5xx.
    public var status: Int
    /// The reason and, where it helps, valid input.
    public var message: String
    /// The `Retry-After` value in seconds; nil if a retry makes no difference.
    public var retryAfter: Int?

    /// Creates a failure with a status of 4xx or 5xx.
    public init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    // MARK: Kinds

    /// Status 400 for a request that is malformed.
    package static func malformed(_ message: String) -> RequestFailure { RequestFailure(400, message) }

    /// The same message for every reason, so that it doesn't reveal which files exist.
    package static let noSuchPicture = RequestFailure(404, "there is no such image")

    /// There is no route for the address, or no such page.
    package static let noSuchPage = RequestFailure(
        404, "not found. The gallery is at /, the URL reference at /docs")

    /// Unread responses use all memory that is reserved for them.
    static let tooManyUnread = RequestFailure(
        503, "too many responses wait to be read; try again in a second", retryAfter: 1)

    /// Status 501 for a well-formed request that this server doesn't support.
    package static func notImplemented(_ message: String) -> RequestFailure { RequestFailure(501, message) }

    // MARK: Errors of images

    /// The failure for an image that can't be opened.
    package init(opening error: ImageError) {
        switch error.code {
        // The message names the format if it is known.
        case .unknownFormat, .unsupported: self.init(422, "this file can't be shown: \(error)")
        case .limitExceeded: self.init(413, "the image is larger than this server opens")
        case .inputOutput: self.init(500, "the image can't be read now")
        case .cancelled: self.init(503, "the request was cancelled", retryAfter: 1)
        case .outOfMemory: self.init(503, "there is no memory for the image now", retryAfter: 5)
        case .workerFailed: self.init(500, "the decoder of this image failed")
        default: self.init(422, "this image is damaged: \(error)")
        }
    }

    /// The failure for a rendering that can't be made.
    package init(rendering error: ImageError) {
        switch error.code {
        case .invalidParameter: self.init(400, error.message)
        case .limitExceeded:
            // A client can't change the option that the message names for programs.
            let message = error.message.replacing(" (EffectOptions.maximumPixelCount)", with: "")
            self.init(400, "that is more than this server makes: \(message)")
        case .unsupported: self.init(501, error.message)
        default: self.init(opening: error)
        }
    }
}

extension RequestFailure {
    /// Runs `body` and converts its errors to the failure of a rendering.
    static func rendering<Value>(_ body: () throws(ImageError) -> Value) throws(RequestFailure) -> Value {
        do throws(ImageError) {
            return try body()
        } catch {
            throw RequestFailure(rendering: error)
        }
    }

    /// Runs asynchronous `body` and converts its errors to the failure of a rendering.
    static func rendering<Value: Sendable>(
        _ body: () async throws(ImageError) -> Value
    ) async throws(RequestFailure) -> Value {
        try await Result(of: body).mapError { RequestFailure(rendering: $0) }.get()
    }
}

extension String {
    /// The text in quotation marks for a message: at most 40 characters, with invisible ones replaced by `?`.
    var quotedForPeople: String {
        let shown = prefix(40).unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: "?"
            default: Character(scalar)
            }
        }
        return "\"\(String(shown))\(count > 40 ? "…" : "")\""
    }
}
