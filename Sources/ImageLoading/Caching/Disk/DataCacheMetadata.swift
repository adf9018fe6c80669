/// What is kept beside cached bytes, to tell whether they are still good and to ask their server.
public struct DataCacheMetadata: Hashable, Sendable {
    /// Where the bytes came from.
    public var url: String?
    /// The media type that the server gave.
    public var mimeType: String?
    /// The server's name for this version (`ETag`), as it was sent.
    public var entityTag: String?
    /// When the server says it changed (`Last-Modified`), as it was sent.
    public var lastModified: String?
    /// How long it is good.
    public var freshness: CacheFreshness

    /// Metadata of these facts.
    public init(
        url: String? = nil, mimeType: String? = nil, entityTag: String? = nil, lastModified: String? = nil,
        freshness: CacheFreshness
    ) {
        self.url = url
        self.mimeType = mimeType
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.freshness = freshness
    }

    /// Whether the server can be asked if it has changed.
    public var hasValidator: Bool { entityTag != nil || lastModified != nil }
}
