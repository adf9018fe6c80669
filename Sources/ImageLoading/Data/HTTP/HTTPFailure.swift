#if HTTP
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What the client's errors are called here.
enum HTTPFailure {
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
        // The module that does the encryption isn't imported merely to name its errors.
        if String(reflecting: type(of: error)).hasPrefix("NIOSSL.") {
            return make(.insecure, "there is no secure connection to \(host): \(error)")
        }
        let systemError = error as? IOError
        let reason = systemError?.description ?? "\(error)"
        // Only a connection that there is can be reset.
        let wasConnected = isConnected || systemError.map { [ECONNRESET, EPIPE].contains($0.errnoCode) } ?? false
        return wasConnected
            ? make(.connectionLost, "the connection to \(host) was lost: \(reason)")
            : make(.cannotConnect, "there is no connection to \(host): \(reason)")
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

    private static func make(_ reason: DataTransportFailure.Reason, _ message: String) -> DataLoadingError {
        .transport(DataTransportFailure(reason, message))
    }
}
#endif
