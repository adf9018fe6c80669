#if HTTP
internal import Essentials
internal import ImageLoading
internal import Platform
internal import Raster

/// Asks the operator's authorization service, and remembers its answers as long as it allows.
final class Authorizer: Sendable {
    /// An image, or a folder's listing.
    enum Subject: Sendable {
        case image(String)
        case folder(String)

        fileprivate var item: String {
            switch self {
            case .image(let identifier): "image=\(URLPath.encode(identifier))"
            case .folder(let path): "folder=\(URLPath.encode(path))"
            }
        }
    }

    private struct Answer: Sendable {
        let status: Int
        let challenge: String?
        /// The end of its use, in seconds since 1970.
        let end: Int64
    }

    private struct Key: Hashable {
        /// The image's identifier; empty for a folder.
        let identifier: String
        /// The query's item and the forwarded fields. The whole text, since a client can choose values of equal hashes.
        let text: String
    }

    let service: AuthorizationService
    private let loader: HTTPDataLoader
    private let answers = ByteBoundedCache<Key, Answer>(costLimit: 16 << 20)
    private let questions = SharedRenders<Answer>()
    /// The longest that an answer is reused, in seconds, whatever the service allows.
    private static let longestLifetime: Int64 = 86_400

    /// - Throws: The errors of `AuthorizationService.validate`.
    init(_ service: AuthorizationService) throws(ImageError) {
        try service.validate()
        self.service = service
        var configuration = HTTPDataLoader.Configuration(
            connectTimeout: service.timeout, idleTimeout: service.timeout, proxies: .none)
        configuration.followsRedirects = false
        loader = HTTPDataLoader(configuration: configuration)
    }

    /// Asks whether the client of `request` may see an image or a listing.
    /// - Throws: 401, 403 or 404 as the service says, 503 if it fails.
    func check(_ subject: Subject, for request: ServiceRequest) async throws(RequestFailure) {
        var fields: [(name: String, value: String)] = []
        for name in service.forwardedFields {
            let values = request.field(name)
            // Several `Cookie` fields are equivalent to one (RFC 9113, 8.2.3); other fields are lists with commas.
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            if !values.isEmpty { fields.append((name, values.joined(separator: separator))) }
        }
        let identifier = if case .image(let identifier) = subject { identifier } else { "" }
        let key = Key(
            identifier: identifier,
            text: ([subject.item] + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\n"))
        let now = Int64(time(nil))
        let answer: Answer
        if let known = answers.value(for: key), known.end > now {
            answer = known
        } else {
            let sent = fields
            answer = try await questions.value(for: key.text) { [self] () throws(RequestFailure) in
                let answer = try await ServiceTrace.span("authorize") { () async throws(RequestFailure) in
                    try await withTimeLimit(service.timeout, orThrow: Self.noAnswer) {
                        [self] () throws(RequestFailure) in try await ask(subject, sent)
                    }
                }
                if answer.end > now {
                    answers.insert(answer, for: key, cost: 2 * (key.text.utf8.count + identifier.utf8.count) + 200)
                }
                return answer
            }
        }
        request.admission?.note(end: answer.end, challenge: answer.challenge)
        switch answer.status {
        case 200..<300: return
        case 401: throw RequestFailure(401, "this image needs a login")
        case 403: throw RequestFailure(403, "this image isn't open to you")
        case 404: throw .noSuchPicture
        default: throw Self.noAnswer
        }
    }

    /// Forgets the answers for the images that match.
    func removeAll(where matches: (_ identifier: String) -> Bool) {
        answers.removeAll { !$0.identifier.isEmpty && matches($0.identifier) }
    }

    /// Nobody is let in when the service fails.
    private static let noAnswer = RequestFailure(
        503, "it can't be found out now who may see this; try again in 5 s", retryAfter: 5)

    private func ask(
        _ subject: Subject, _ fields: [(name: String, value: String)]
    ) async throws(RequestFailure) -> Answer {
        let separator = service.url.contains("?") ? "&" : "?"
        guard let url = URL(string: "\(service.url)\(separator)\(subject.item)") else { throw Self.noAnswer }
        var request = DataRequest(url: url)
        for field in fields { request.headers.add(field.name, field.value) }
        do {
            // The body is of no interest; releasing it closes the connection unless it has arrived.
            let response = try await loader.load(request).response
            let control = CacheControl(response.headers)
            let lifetime = control.noStore || control.noCache ? 0 : control.maximumAge ?? 0
            return Answer(
                status: response.statusCode, challenge: response.headers["WWW-Authenticate"],
                end: Int64(time(nil)) + min(max(0, lifetime), Self.longestLifetime))
        } catch {
            throw Self.noAnswer
        }
    }
}
#endif
