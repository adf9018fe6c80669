/// An access key for a store, with its secret.
public struct S3Credentials: Hashable, Sendable {
    /// The key's public part.
    public let accessKeyID: String
    /// The key's secret part, which signs requests and isn't sent.
    public let secretAccessKey: String
    /// The token of temporary credentials; nil for lasting ones.
    public let sessionToken: String?
    /// When temporary credentials expire, in seconds since 1970; nil if unknown or never.
    public let expiry: Int64?

    /// Credentials from their parts.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiry: Int64? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiry = expiry
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key's public part; secrets aren't printed.
    public var description: String { "credentials of \(accessKeyID)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Without secrets, too.
    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
