internal import Essentials

/// The state of a fetch between attempts: the bytes received and how to continue.
struct DataTransfer {
    /// The meaning of a response for the fetch.
    enum Verdict {
        /// Read the body, after reporting these events.
        case accept([DataFetcher.Event])
        /// The transfer can't be resumed: request the whole.
        case startOver
        /// The request needs authorisation.
        case authorize
        case refuse(any Error)
    }

    let request: DataRequest
    let metadata: DataCacheMetadata?
    let maximumByteCount: Int?
    let maximumKeptByteCount: Int
    /// Whether the caller's request is itself partial or conditional; it is then sent unchanged.
    let isSpecial: Bool
    let isResuming: Bool

    /// The beginning left by an earlier fetch, until it is resumed or invalid.
    var beginning: ResumableData?
    /// The response reported to the receiver, and the number of its bytes.
    private var announced: DataResponse?
    private var receivedCount = 0
    /// Those bytes, if they are few enough to keep for a later fetch.
    private var kept: Data?
    /// Whether the receiver must be told to discard its bytes.
    private var isVoid = false
    /// The kind of the last request.
    private var asked = Asked.whole

    private enum Asked {
        case whole
        case newVersion
        case rest(of: DataResponse, from: Int, validator: String)
    }

    init(_ request: DataRequest, _ metadata: DataCacheMetadata?, _ configuration: DataFetching) {
        self.request = request
        self.metadata = metadata.flatMap { $0.hasValidator ? $0 : nil }
        maximumByteCount = configuration.maximumByteCount
        isResuming = configuration.resumableData != nil && !request.url.isLocal
        maximumKeptByteCount = isResuming ? configuration.resumableData?.maximumByteCount ?? 0 : 0
        isSpecial = ["Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"]
            .contains { request.headers[$0] != nil }
    }

    /// Whether the beginning left by an earlier fetch is usable: only if the request isn't conditional.
    var canContinueEarlier: Bool { isResuming && !isSpecial && metadata == nil }

    /// The beginning to keep when the fetch fails.
    var resumable: ResumableData? {
        guard let announced else { return beginning }
        guard isResuming, !isSpecial, announced.allowsCaching, let kept else { return nil }
        return ResumableData(response: announced, data: kept)
    }

    // MARK: Requests

    /// Returns the next request to send.
    mutating func nextRequest() -> DataRequest {
        var request = request
        asked = .whole
        guard !isSpecial else { return request }
        if let rest {
            asked = .rest(of: rest.response, from: rest.count, validator: rest.validator)
            request.headers["Range"] = "bytes=\(rest.count)-"
            request.headers["If-Range"] = rest.validator
        } else if let metadata, announced == nil {
            asked = .newVersion
            request.headers["If-None-Match"] = metadata.entityTag
            request.headers["If-Modified-Since"] = metadata.lastModified
        }
        return request
    }

    /// The beginning received so far, if the rest can be requested.
    private var rest: (response: DataResponse, count: Int, validator: String)? {
        guard isResuming else { return nil }
        guard let announced else { return beginning.map { ($0.response, $0.data.count, $0.validator) } }
        guard receivedCount > 0, let total = announced.expectedByteCount, receivedCount < total,
            announced.statusCode == 200, let validator = ResumableData.validator(announced)
        else { return nil }
        return (announced, receivedCount, validator)
    }

    // MARK: Responses

    mutating func judge(_ response: DataResponse) -> Verdict {
        switch response.statusCode {
        case 206:
            if case .rest(let whole, let count, let validator) = asked {
                return judgePart(response, whole, count, validator)
            }
            guard isSpecial else { return .refuse(Self.invalid("the server sent a part that it wasn't asked for")) }
            return begin(response)
        case 200..<300: return begin(response)
        case 304:
            if case .newVersion = asked { return begin(response) }
            return isSpecial ? begin(response) : .refuse(DataLoadingError.status(response))
        case 401: return .authorize
        case 416:
            guard case .rest = asked else { return .refuse(DataLoadingError.status(response)) }
            return startOver()
        default: return .refuse(DataLoadingError.status(response))
        }
    }

    /// Discards the bytes received so far.
    private mutating func startOver() -> Verdict {
        forget()
        return .startOver
    }

    private mutating func forget() {
        isVoid = isVoid || announced != nil
        beginning = nil
        announced = nil
        receivedCount = 0
        kept = nil
    }

    private mutating func begin(_ response: DataResponse) -> Verdict {
        var response = response
        // A 304 has no body, whatever length the server gives.
        if response.statusCode == 304 { response.expectedByteCount = nil }
        forget()
        if let error = sizeError(response.expectedByteCount) { return .refuse(error) }
        announced = response
        kept = Data()
        defer { isVoid = false }
        return .accept(isVoid ? [.restart, .response(response)] : [.response(response)])
    }

    /// Checks that `part` is the rest of the version that `whole` describes.
    private mutating func judgePart(
        _ part: DataResponse, _ whole: DataResponse, _ count: Int, _ validator: String
    ) -> Verdict {
        guard let range = part.headers["Content-Range"].flatMap({ ContentRange($0) }), range.first == count,
            range.total == nil || range.total == whole.expectedByteCount, isSameVersion(part, validator)
        else { return startOver() }
        if let error = sizeError(whole.expectedByteCount) { return .refuse(error) }
        if announced != nil { return .accept([]) }
        guard let beginning else { return startOver() }
        let merged = Self.merge(part, into: whole)
        self.beginning = nil
        announced = merged
        receivedCount = beginning.data.count
        kept = beginning.data
        return .accept([.response(merged), .data(beginning.data)])
    }

    private func isSameVersion(_ part: DataResponse, _ validator: String) -> Bool {
        // A part must repeat the entity tag, but not the date (RFC 9110, section 15.3.7).
        guard validator.hasPrefix("\"") else {
            return part.headers["Last-Modified"].map { $0.trimmedHTTPWhitespace == validator } ?? true
        }
        return part.headers["ETag"]?.trimmedHTTPWhitespace == validator
    }

    /// The response for the whole, with its fields replaced by those that the part repeats.
    private static func merge(_ part: DataResponse, into whole: DataResponse) -> DataResponse {
        var merged = whole
        merged.url = part.url
        let fields = part.headers.fields.filter {
            !["content-length", "content-range", "transfer-encoding"].contains($0.name.lowercased())
        }
        for field in fields { merged.headers[field.name] = nil }
        for field in fields { merged.headers.add(field.name, field.value) }
        return merged
    }

    // MARK: Bytes

    mutating func append(_ chunk: Data) throws {
        receivedCount += chunk.count
        if let error = sizeError(receivedCount) {
            kept = nil
            throw error
        }
        if let count = kept?.count, chunk.count <= maximumKeptByteCount - count {
            // Many images arrive in a single piece, which isn't copied.
            if count == 0 { kept = chunk } else { kept?.append(chunk) }
        } else {
            kept = nil
        }
    }

    /// Checks that all bytes have arrived.
    func finish() throws {
        guard let expected = announced?.expectedByteCount, receivedCount < expected else { return }
        throw DataLoadingError.truncated(expected: expected, received: receivedCount)
    }

    private func sizeError(_ count: Int?) -> DataLoadingError? {
        guard let maximumByteCount, let count, count > maximumByteCount else { return nil }
        return .tooLarge(maximumByteCount: maximumByteCount)
    }

    private static func invalid(_ message: String) -> DataLoadingError {
        .transport(DataTransportFailure(.invalidResponse, message))
    }
}
