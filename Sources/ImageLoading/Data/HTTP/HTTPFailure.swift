#if HTTP
internal import CTesseraCURL
internal import Platform

/// Maps what libcurl says of a transfer to `DataLoadingError`.
enum HTTPFailure {
    /// The error of a transfer that has ended; nil for success.
    static func error(for outcome: tessera_curl_outcome, host: String) -> DataLoadingError? {
        let words = outcome.message.map { String(cString: $0) } ?? ""
        let reason = outcome.system_error == 0 ? words : String(cString: strerror(outcome.system_error))
        // Only newer versions have a separate code for a proxy's refusal.
        if outcome.code != 0, outcome.proxy_status != 0, !(200..<300 ~= outcome.proxy_status) {
            let status = HTTPStatus.description(Int(outcome.proxy_status))
            return make(.proxy, "the proxy for \(host) refuses: it answered \(status)")
        }
        // The names are those of libcurl's error codes (libcurl-errors(3)).
        switch outcome.code {
        case 0: return nil
        // COULDNT_RESOLVE_HOST
        case 6: return make(.cannotConnect, "there is no connection to \(host): its address can't be found")
        // COULDNT_CONNECT
        case 7: return make(.cannotConnect, "there is no connection to \(host): \(reason)")
        // OPERATION_TIMEDOUT: the only limit that libcurl knows is that of the connection.
        case 28: return make(.timedOut, "connecting to \(host) took too long")
        // WRITE_ERROR, which is `HTTPTransfer`'s, and OUT_OF_MEMORY, which is also libcurl's answer to a line of 100 KiB
        case 23, 27: return make(.invalidResponse, "the header of the response from \(host) is too long")
        // PARTIAL_FILE, GOT_NOTHING
        case 18, 52: return make(.connectionLost, "\(host) closed the connection before the end")
        // SEND_ERROR, RECV_ERROR, HTTP2, HTTP2_STREAM
        case 55, 56, 16, 92: return make(.connectionLost, "the connection to \(host) was lost: \(reason)")
        // COULDNT_RESOLVE_PROXY, PROXY
        case 5, 97: return make(.proxy, "the proxy for \(host) can't be used: \(words)")
        // SSL_CONNECT_ERROR, SSL_ENGINE…, SSL_CERTPROBLEM, SSL_CIPHER, PEER_FAILED_VERIFICATION, USE_SSL_FAILED,
        // SSL_CACERT_BADFILE, SSL_SHUTDOWN_FAILED, SSL_CRL_BADFILE, SSL_ISSUER_ERROR, SSL_PINNEDPUBKEYNOTMATCH,
        // SSL_INVALIDCERTSTATUS, SSL_CLIENTCERT
        case 35, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98:
            return make(.insecure, "there is no secure connection to \(host): \(words)")
        default: return refusal(outcome.code, host: host, words)
        }
    }

    /// The error for a request that libcurl doesn't begin, or an answer that it can't read.
    static func refusal(_ code: Int32, host: String, _ words: String = "") -> DataLoadingError {
        switch code {
        // URL_MALFORMAT, BAD_FUNCTION_ARGUMENT
        case 3, 43: make(.invalidRequest, "the request can't be sent to \(host): its URL is malformed")
        // OUT_OF_MEMORY
        case 27: make(.unavailable, "there is no memory for a request to \(host)")
        // UNSUPPORTED_PROTOCOL: HTTP/0.9, for which libcurl takes everything that isn't a header.
        case 1: make(.invalidResponse, "\(host) doesn't speak HTTP")
        default: make(.invalidResponse, "\(host) doesn't speak HTTP: \(words)")
        }
    }

    static func silence(of host: String) -> DataLoadingError { make(.timedOut, "\(host) was silent for too long") }

    /// Checks what libcurl would send as it is, although it isn't HTTP (RFC 9110, sections 5.1 and 5.5).
    static func check(_ request: DataRequest) throws(DataLoadingError) {
        for (name, value) in request.headers.fields {
            let isName =
                !name.isEmpty
                && name.utf8.allSatisfy { $0 > 32 && $0 < 127 && !#""(),/:;<=>?@[\]{}"#.utf8.contains($0) }
            guard isName else { throw make(.invalidRequest, "“\(name)” can't be the name of a header field") }
            guard value.utf8.allSatisfy({ $0 == 9 || $0 >= 32 && $0 != 127 }) else {
                throw make(.invalidRequest, "the header field \(name) has a line break or another control character")
            }
        }
    }

    private static func make(_ reason: DataTransportFailure.Reason, _ message: String) -> DataLoadingError {
        .transport(DataTransportFailure(reason, message))
    }
}
#endif
