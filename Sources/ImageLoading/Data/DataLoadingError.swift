/// Why bytes didn't arrive, as the loaders of this module and what drives them report it.
public enum DataLoadingError: Error, Sendable {
    /// No loader knows this kind of URL.
    case unsupportedURL(String)
    /// The server answered with a status that isn't success.
    case status(DataResponse)
    /// The server wants to know who asks (401), also after the request was authorised, where it could be.
    case unauthorized(DataResponse)
    /// The transfer ended early.
    case truncated(expected: Int, received: Int)
    /// There are more bytes than allowed.
    case tooLarge(maximumByteCount: Int)
    /// The server couldn't be reached, or what it said was lost or made no sense.
    case transport(DataTransportFailure)
    /// The file can't be read; the reason is for people.
    case unreadable(String)
    /// The data URL breaks the rules; the reason is for people.
    case invalidDataURL(String)
}

extension DataLoadingError {
    /// The server's response, where there was one.
    public var response: DataResponse? {
        switch self {
        case .status(let response), .unauthorized(let response): response
        default: nil
        }
    }
}

extension DataLoadingError: CustomStringConvertible {
    /// What happened, for people.
    public var description: String {
        switch self {
        case .unsupportedURL(let url): "there is no loader for \(url)"
        case .status(let response): "the server answered \(HTTPStatus.description(response.statusCode))"
        case .unauthorized: "the server answered \(HTTPStatus.description(401)): the request isn't authorised"
        case .truncated(let expected, let received): "the transfer ended after \(received) of \(expected) bytes"
        case .tooLarge(let limit): "there are more bytes than the limit of \(limit)"
        case .transport(let failure): failure.description
        case .unreadable(let reason), .invalidDataURL(let reason): reason
        }
    }
}
