public import Essentials

/// Where a store is, and how it is spoken to.
public struct S3Configuration: Sendable {
    /// The store's base URL, `https://storage.example.org`; nil for Amazon S3 in `region`.
    public var endpoint: URL?
    /// The region that requests are signed for.
    public var region: String
    /// Whether addresses have the bucket in the path instead of the host's name; nil for in the path with an `endpoint` of
    /// one's own and for buckets with a dot in their name, whose host's certificate wouldn't be valid.
    public var usesPathStyle: Bool?
    /// The access key; nil to search for one in the environment, in AWS's shared files, and at the metadata endpoints of
    /// containers and machines.
    public var credentials: S3Credentials?
    /// The number of times that a request is sent if the store or the connection fails.
    public var attemptCount = 6
    /// The longest delay between two attempts. Delays double from a tenth of a second, by random parts.
    public var longestDelay = Duration.seconds(20)
    /// The timeout for making a connection.
    public var connectTimeout = Duration.seconds(10)
    /// The time that the store may send nothing.
    public var idleTimeout = Duration.seconds(60)
    /// The environment's variables, in which credentials are searched for.
    var environment: [String: String]

    /// A store at `endpoint`, or Amazon S3.
    public init(endpoint: URL? = nil, region: String = "us-east-1", credentials: S3Credentials? = nil) {
        self.endpoint = endpoint
        self.region = region
        self.credentials = credentials
        environment = ProcessInfo.processInfo.environment
    }

    #if HTTP
    /// Reads the settings that AWS's own programs have: `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`, `AWS_REGION` or
    /// `AWS_DEFAULT_REGION`, and the profile `AWS_PROFILE` of the shared files with `endpoint_url`, `region` and
    /// `s3.addressing_style`.
    public init(environment: [String: String]) {
        let profile = AWSProfile(environment: environment)
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let text =
            value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? profile["s3.endpoint_url"] ?? profile["endpoint_url"]
        endpoint = text.flatMap { URL(string: $0) }
        region = value("AWS_REGION", "AWS_DEFAULT_REGION") ?? profile["region"] ?? "us-east-1"
        switch profile["s3.addressing_style"] {
        case "path": usesPathStyle = true
        case "virtual": usesPathStyle = false
        default: usesPathStyle = nil
        }
        credentials = nil
        self.environment = environment
    }

    /// The host and path of requests for a bucket in `region`.
    func place(of bucket: String, in region: String) -> (base: String, host: String, path: String) {
        let base: String
        var host: String
        var path = ""
        if let endpoint {
            let scheme = endpoint.scheme?.lowercased() ?? "https"
            host = endpoint.host() ?? ""
            if host.utf8.contains(UInt8(ascii: ":")), !host.hasPrefix("[") { host = "[\(host)]" }
            if let port = endpoint.port, port != (scheme == "https" ? 443 : 80) { host += ":\(port)" }
            path = endpoint.path(percentEncoded: true)
            while path.hasSuffix("/") { path.removeLast() }
            base = scheme
        } else {
            base = "https"
            let isChina = region.hasPrefix("cn-")
            host = "s3.\(region).amazonaws.com\(isChina ? ".cn" : "")"
        }
        if usesPathStyle ?? (endpoint != nil || bucket.utf8.contains(UInt8(ascii: "."))) {
            path += "/\(bucket)"
        } else {
            host = "\(bucket).\(host)"
        }
        return ("\(base)://\(host)", host, path)
    }

    /// Whether the store answers several byte ranges of a request; nil if that isn't known. Amazon S3 doesn't.
    var answersSeveralRanges: Bool? {
        guard let host = endpoint?.host()?.lowercased() else { return false }
        return host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn") ? false : nil
    }
    #endif
}
