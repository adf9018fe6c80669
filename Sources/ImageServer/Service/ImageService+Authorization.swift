internal import ImageFormats

extension ImageService {
    /// The JSON-LD context of the IIIF Authorization Flow API.
    static let authorizationContext = "http://iiif.io/api/auth/2/context.json"

    /// `/probe/ID`: whether the client may see an image (IIIF Authorization Flow API 2.0, probe service). The status of the
    /// image is in the document; that of the response is always 200.
    func answerProbe(_ segments: [String], _ request: ServiceRequest) async throws(RequestFailure) -> ServiceResponse {
        let identifier = try URLPath.identifier(in: segments)
        try request.grant.check(image: identifier)
        var members: [(String, JSONValue)] = [
            ("@context", .string(Self.authorizationContext)), ("type", .string("AuthProbeResult2")),
        ]
        do throws(RequestFailure) {
            _ = try await file(identifier, for: request)
            members.append(("status", .integer(200)))
        } catch {
            members += [("status", .integer(error.status)), ("heading", Self.text(error.message))]
        }
        var response = ServiceResponse(JSONValue.object(members).compactText, mediaType: Self.mediaType)
        response.fields.append(("Cache-Control", "no-store"))
        return response
    }

    private static let mediaType = "application/ld+json;profile=\"http://iiif.io/api/auth/2/context.json\""

    /// The services of an image's `info.json`; nil without an access token service.
    func authorizationServices(of encodedIdentifier: String, _ request: ServiceRequest) -> JSONValue? {
        guard let service = configuration.authorization, let tokenService = service.tokenService else { return nil }
        let token = JSONValue.object([
            ("id", .string(tokenService)), ("type", .string("AuthAccessTokenService2")),
        ])
        var access: [(String, JSONValue)] = [("type", .string("AuthAccessService2"))]
        if let page = service.accessService {
            access += [("id", .string(page)), ("profile", .string("active")), ("label", Self.text("Log in"))]
        } else {
            access.append(("profile", .string("external")))
        }
        access.append(("service", .array([token])))
        let probe = JSONValue.object([
            ("id", .string("\(request.base)/probe/\(encodedIdentifier)")), ("type", .string("AuthProbeService2")),
            ("service", .array([.object(access)])),
        ])
        return .array([probe])
    }

    /// A text of the IIIF APIs, by language.
    private static func text(_ text: String) -> JSONValue { .object([("en", .array([.string(text)]))]) }
}
