public import Essentials

/// A persistent cache for bytes.
///
/// Storage errors never prevent an image from loading: an entry that can't be read counts as absent.
public protocol DataCaching: AnyObject, Sendable {
    /// Returns the entry under `key`; nil if there is none, or it is damaged.
    func entry(for key: DataCacheKey) async -> DataCacheEntry?
    /// Returns the metadata under `key`, without reading the entry's data.
    func metadata(for key: DataCacheKey) async -> DataCacheMetadata?
    /// Stores `entry` under `key`. It is available immediately, while it is still being written.
    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async
    /// Records that the server has confirmed the bytes under `key`.
    func update(_ freshness: CacheFreshness, for key: DataCacheKey) async
    /// Removes the bytes under `key`.
    func remove(for key: DataCacheKey) async
    /// Removes the bytes of all variants in `group`.
    func removeAll(in group: String) async
    /// Removes all entries.
    func removeAll() async
    /// Returns when every entry stored so far has been written.
    func flush() async
}

/// The key of cached bytes.
///
/// All variants of an image are in one group, so that they can be removed together.
public struct DataCacheKey: Hashable, Sendable {
    /// The image's URL, as normalised by the pipeline, or its name.
    public var group: String
    /// How the image was processed, as length-delimited parts; empty for the original's bytes.
    public var variant: [UInt8]

    /// A key from a group and a variant; the variant is empty for the original's bytes.
    public init(group: String, variant: [UInt8] = []) {
        self.group = group
        self.variant = variant
    }
}

/// Cached bytes and their metadata.
public struct DataCacheEntry: Sendable {
    /// The cached bytes.
    public var data: Data
    /// The bytes' origin and freshness.
    public var metadata: DataCacheMetadata

    /// An entry with its metadata.
    public init(data: Data, metadata: DataCacheMetadata) {
        self.data = data
        self.metadata = metadata
    }
}

/// The metadata of cached bytes, used to check their freshness and to revalidate them.
public struct DataCacheMetadata: Hashable, Sendable {
    /// The URL that the bytes came from.
    public var url: String?
    /// The media type that the server gave.
    public var mimeType: String?
    /// The server's identifier for this version (`ETag`), as it was sent.
    public var entityTag: String?
    /// The date of the last change (`Last-Modified`), as the server sent it.
    public var lastModified: String?
    /// How long the bytes stay fresh.
    public var freshness: CacheFreshness

    /// Metadata from a server's values; nil for those that are unknown.
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

    /// Whether the bytes can be revalidated: there is an `ETag` or a `Last-Modified` date.
    public var hasValidator: Bool { entityTag != nil || lastModified != nil }
}

/// How long cached bytes can be used without revalidation (RFC 9111, section 4.2).
public struct CacheFreshness: Hashable, Sendable {
    /// When the server last confirmed that this version is current, in seconds since 1970.
    public var validatedAt: Int64
    /// The number of seconds that the bytes are fresh from then on.
    public var lifetime: Int64

    /// A freshness lifetime, in seconds, from a time in seconds since 1970.
    public init(validatedAt: Int64, lifetime: Int64) {
        self.validatedAt = validatedAt
        self.lifetime = lifetime
    }

    /// Whether the bytes are fresh at `time`, in seconds since 1970.
    public func isFresh(at time: Int64) -> Bool {
        let age = time.subtractingReportingOverflow(validatedAt)
        return !age.overflow && age.partialValue >= 0 && age.partialValue < lifetime
    }
}

extension DataCacheMetadata {
    /// The metadata to store with the bytes of `response`.
    /// - Parameter time: When the response arrived, in seconds since 1970.
    public init(response: DataResponse, receivedAt time: Int64) {
        self.init(
            url: response.url?.absoluteString, mimeType: response.mimeType, entityTag: response.headers["ETag"],
            lastModified: response.headers["Last-Modified"],
            freshness: CacheFreshness(response: response, receivedAt: time))
    }

    /// The metadata after revalidation (304): values in the response replace the stored ones.
    /// - Parameter time: When the response arrived, in seconds since 1970.
    public func confirmed(by response: DataResponse, receivedAt time: Int64) -> DataCacheMetadata {
        var confirmed = self
        // Fields that the response leaves out keep their values.
        let isSaid = response.headers["Cache-Control"] != nil || response.headers["Expires"] != nil
        confirmed.freshness =
            isSaid
            ? CacheFreshness(response: response, receivedAt: time)
            : CacheFreshness(validatedAt: time, lifetime: freshness.lifetime)
        if let entityTag = response.headers["ETag"] { confirmed.entityTag = entityTag }
        if let lastModified = response.headers["Last-Modified"] { confirmed.lastModified = lastModified }
        return confirmed
    }
}

extension DataResponse {
    /// Whether the bytes may be stored at all (`Cache-Control: no-store` forbids it).
    public var allowsCaching: Bool { !CacheControl(headers).noStore }
}

extension CacheFreshness {
    /// The freshness from a response's headers (RFC 9111, sections 4.2.1 and 4.2.2, for a private cache).
    ///
    /// Without explicit lifetime, a version is fresh for a tenth of the time since it was last modified, at most a day.
    /// - Parameter time: When the response arrived, in seconds since 1970.
    public init(response: DataResponse, receivedAt time: Int64) {
        let headers = response.headers
        let control = CacheControl(headers)
        let date = headers["Date"].flatMap { HTTPDate.secondsSince1970($0.trimmedHTTPWhitespace) }
        // A local clock that is behind the server's must not make the age negative.
        let apparentAge = date.map { max(0, time - $0) } ?? 0
        let age = max(apparentAge, headers["Age"].flatMap { DeltaSeconds.parse($0.trimmedHTTPWhitespace) } ?? 0)
        let lifetime: Int64
        if control.noStore || control.noCache {
            lifetime = 0
        } else if let maximumAge = control.maximumAge {
            lifetime = maximumAge
        } else if let expires = headers["Expires"] {
            // An invalid date, such as 0, counts as past (section 5.3).
            lifetime = HTTPDate.secondsSince1970(expires.trimmedHTTPWhitespace).map { $0 - (date ?? time) } ?? 0
        } else if let changed = headers["Last-Modified"].flatMap({
            HTTPDate.secondsSince1970($0.trimmedHTTPWhitespace)
        }) {
            lifetime = min(((date ?? time) - changed) / 10, 86400)
        } else {
            lifetime = 0
        }
        self.init(validatedAt: time, lifetime: max(0, lifetime - age))
    }
}
