#if HTTP
internal import Essentials

/// Temporary credentials from the endpoints that containers (ECS, EKS) and virtual machines (EC2, IMDSv2) have.
struct AWSMetadata {
    let environment: [String: String]

    /// An endpoint's answer; the endpoints use these names.
    private struct Answer: Decodable {
        let AccessKeyId: String
        let SecretAccessKey: String
        let Token: String?
        let Expiration: String?
    }

    /// The longest answer that is read, in bytes.
    private static let largestAnswer = 64 << 10

    /// Requests credentials; nil if the environment has no such endpoint.
    /// - Throws: `S3Failure` if an endpoint that the environment names doesn't answer.
    func credentials() async throws -> S3Credentials? {
        if let credentials = try await containerCredentials() { return credentials }
        guard environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" else { return nil }
        return await machineCredentials()
    }

    private func containerCredentials() async throws -> S3Credentials? {
        let address: String
        if let path = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
            address = "http://169.254.170.2\(path)"
        } else if let full = environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] {
            address = full
        } else {
            return nil
        }
        guard let url = URL(string: address), Self.mayAnswer(url) else {
            throw S3Failure(
                code: "InvalidEndpoint",
                message: "credentials come from https, or from an address of this machine, not from \(address)")
        }
        var headers = HTTPHeaders()
        if let path = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] {
            let token = AWSMetadata.token(inFile: path)
            guard !token.isEmpty else {
                throw S3Failure(
                    code: "InvalidToken",
                    message: "\(path), which AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names, can't be read")
            }
            headers["Authorization"] = token
        } else if let token = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] {
            headers["Authorization"] = token
        }
        guard let text = await Self.text(url, headers, within: .seconds(5)) else {
            throw S3Failure(
                code: "NoCredentials", message: "the endpoint of the container's credentials doesn't answer")
        }
        return Self.parse(text)
    }

    /// Whether credentials may be requested from `url` and the token sent to it: encrypted, or without leaving the host.
    private static func mayAnswer(_ url: URL) -> Bool {
        let host = url.host()?.lowercased() ?? ""
        if url.scheme?.lowercased() == "https" { return !host.isEmpty }
        return url.scheme?.lowercased() == "http"
            && (HTTPProxyException.isOwn(host) || ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"].contains(host))
    }

    private func machineCredentials() async -> S3Credentials? {
        // The variable and its default are those of Amazon's programs. Without such a machine nobody answers.
        let seconds = environment["AWS_METADATA_SERVICE_TIMEOUT"].flatMap { Double($0) } ?? 1
        let timeout = Duration.seconds(seconds >= 0.1 ? min(seconds, 300) : 1)
        let endpoint = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? "http://169.254.169.254"
        let base = (endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint) + "/latest/"
        guard let tokenURL = URL(string: base + "api/token"),
            let token = await Self.text(
                tokenURL, ["X-aws-ec2-metadata-token-ttl-seconds": "21600"], method: "PUT", within: timeout),
            !token.isEmpty
        else { return nil }
        let headers: HTTPHeaders = ["X-aws-ec2-metadata-token": token]
        let folder = base + "meta-data/iam/security-credentials/"
        guard let folderURL = URL(string: folder),
            let role = await Self.text(folderURL, headers, within: timeout)?.split(whereSeparator: \.isNewline)
                .first,
            let url = URL(string: folder + AWSSignature.encode(String(role))),
            let text = await Self.text(url, headers, within: timeout)
        else { return nil }
        return Self.parse(text)
    }

    /// Parses an endpoint's answer; nil if it has no credentials.
    static func parse(_ text: String) -> S3Credentials? {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)) else { return nil }
        let expiry = answer.Expiration.flatMap { try? Date($0, strategy: .iso8601) }
        return S3Credentials(
            accessKeyID: answer.AccessKeyId, secretAccessKey: answer.SecretAccessKey, sessionToken: answer.Token,
            expiry: expiry.map { Int64($0.timeIntervalSince1970) })
    }

    /// The text of a successful answer; nil for any other.
    private static func text(
        _ url: URL, _ headers: HTTPHeaders, method: String = "GET", within timeout: Duration
    ) async -> String? {
        var settings = HTTPDataLoader.Configuration(connectTimeout: timeout, idleTimeout: timeout, proxies: .none)
        settings.followsRedirects = false
        var request = DataRequest(url: url, headers: headers)
        request.method = method
        guard let download = try? await HTTPDataLoader(configuration: settings).load(request),
            download.response.statusCode == 200,
            let bytes = try? await S3Store.bytes(of: download, limit: largestAnswer)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
