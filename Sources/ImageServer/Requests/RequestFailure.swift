package import Raster

/// Why a request gets no picture: a status of HTTP, and a short text for people that names no file of the server's.
public struct RequestFailure: Error, Hashable, Sendable {
    /// The status, 4xx or 5xx.
    public var status: Int
    /// What is wrong, and where that helps what would be right.
    public var message: String
    /// After how many seconds to ask again; nil where that makes no difference.
    public var retryAfter: Int?

    /// A failure of this kind.
    public init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    // MARK: Kinds

    /// The request isn't written as it has to be.
    package static func malformed(_ message: String) -> RequestFailure { RequestFailure(400, message) }

    /// There is no such picture; the same words whatever the reason, so that nobody learns what else there is.
    package static let noSuchPicture = RequestFailure(404, "there is no such picture")

    /// Nothing has this address.
    package static let noSuchPage = RequestFailure(
        404, "not found. The gallery is at /, the URL reference at /docs")

    /// Clients have left so much unread that there is no memory for more.
    static let tooManyUnread = RequestFailure(
        503, "too many responses wait to be read; try again in a second", retryAfter: 1)

    /// More than this server does, though it may be well-formed.
    package static func notImplemented(_ message: String) -> RequestFailure { RequestFailure(501, message) }

    // MARK: Errors of images

    /// The failure of a request for a picture that can't be opened.
    package init(opening error: ImageError) {
        switch error.code {
        // The message names the format where it is known.
        case .unknownFormat, .unsupported: self.init(422, "this file can't be shown: \(error)")
        case .limitExceeded: self.init(413, "the picture is larger than this server opens")
        case .inputOutput: self.init(500, "the picture can't be read now")
        case .cancelled: self.init(503, "the request was given up", retryAfter: 1)
        case .outOfMemory: self.init(503, "there is no memory for the picture now", retryAfter: 5)
        case .workerFailed: self.init(500, "the decoder of this image failed")
        default: self.init(422, "this image is damaged: \(error)")
        }
    }

    /// The failure of a request for something that can't be made of a picture.
    package init(rendering error: ImageError) {
        switch error.code {
        case .invalidParameter: self.init(400, error.message)
        case .limitExceeded: self.init(400, "that is more than this server makes: \(error.message)")
        case .unsupported: self.init(501, error.message)
        default: self.init(opening: error)
        }
    }
}

extension RequestFailure {
    /// What `body` makes of a picture; throws the failure of the request where it can't.
    static func rendering<Value>(_ body: () throws(ImageError) -> Value) throws(RequestFailure) -> Value {
        do throws(ImageError) {
            return try body()
        } catch {
            throw RequestFailure(rendering: error)
        }
    }

    /// As the other one, where `body` waits.
    static func rendering<Value: Sendable>(
        _ body: () async throws(ImageError) -> Value
    ) async throws(RequestFailure) -> Value {
        try await Result(of: body).mapError { RequestFailure(rendering: $0) }.get()
    }
}

extension String {
    /// The text in quotation marks for a message: no more of it than helps, and nothing that isn't seen.
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
