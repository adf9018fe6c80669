#if HTTP
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Platform

/// Maps the HTTP client's errors to `DataLoadingError`.
enum HTTPFailure {
    /// Maps an error.
    /// - Parameter isConnected: Whether the response has begun.
    static func error(for error: any Error, host: String, isConnected: Bool) -> any Error {
        switch error {
        case is CancellationError: return error
        case let error as HTTPClientError:
            return error == .cancelled ? CancellationError() : failure(error, host)
        case ChannelError.connectTimeout:
            return make(.timedOut, "connecting to \(host) took too long")
        case HTTPParserError.invalidEOFState:
            return make(.connectionLost, "\(host) closed the connection before the end")
        case let error as HTTPParserError:
            return make(.invalidResponse, "\(host) doesn't speak HTTP: \(error)")
        default: break
        }
        // Avoids importing NIOSSL only to name its errors.
        if String(reflecting: type(of: error)).hasPrefix("NIOSSL.") {
            return make(.insecure, "there is no secure connection to \(host): \(error)")
        }
        let systemError = systemError(in: error)
        let reason = systemError.map { String(cString: strerror($0.errnoCode)) } ?? description(of: error)
        // A reset implies that there was a connection.
        let wasConnected = isConnected || systemError.map { [ECONNRESET, EPIPE].contains($0.errnoCode) } ?? false
        return wasConnected
            ? make(.connectionLost, "the connection to \(host) was lost: \(reason)")
            : make(.cannotConnect, "there is no connection to \(host): \(reason)")
    }

    /// Whether the error may be due to a reused connection's state instead of the request.
    static func mayBeOfOldConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case ChannelError.ioOnClosedChannel, ChannelError.eof: true
        case is HTTPParserError, is NIOHTTPDecoderError: true
        case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
        default: false
        }
    }

    private static func failure(_ error: HTTPClientError, _ host: String) -> DataLoadingError {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            make(.timedOut, "connecting to \(host) took too long")
        case .readTimeout, .writeTimeout, .deadlineExceeded:
            make(.timedOut, "\(host) was silent for too long")
        case .remoteConnectionClosed, .uncleanShutdown:
            make(.connectionLost, "\(host) closed the connection before the end")
        case .invalidProxyResponse, .proxyAuthenticationRequired, .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
            .invalidProxyConfiguration:
            make(.proxy, "the proxy for \(host) refuses: \(error.shortDescription)")
        case .invalidURL, .emptyHost, .emptyScheme:
            make(.invalidRequest, "the URL can't be sent to \(host): \(error.shortDescription)")
        default:
            make(
                error.description.contains("invalidHeaderField") ? .invalidRequest : .invalidResponse,
                "\(host): \(error.shortDescription)")
        }
    }

    /// The system's error; if several addresses were tried, that of the last.
    private static func systemError(in error: any Error) -> IOError? {
        if let error = error as? NIOConnectionError { return error.connectionErrors.last?.error as? IOError }
        return error as? IOError
    }

    private static func description(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError: (error.dnsAError ?? error.dnsAAAAError).map(description) ?? "\(error)"
        case let error as SocketAddressError.UnknownHost: error.errorDescription
        default: "\(error)"
        }
    }

    private static func make(_ reason: DataTransportFailure.Reason, _ message: String) -> DataLoadingError {
        .transport(DataTransportFailure(reason, message))
    }
}
#endif
