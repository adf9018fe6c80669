public import Essentials

/// A cache for bytes that outlives the program.
///
/// Whatever goes wrong with its storage, a cache is never a reason for a picture not to load: what can't be read isn't
/// there.
public protocol DataCaching: AnyObject, Sendable {
    /// The bytes under `key`; nil where there are none, or damaged ones.
    func entry(for key: DataCacheKey) async -> DataCacheEntry?
    /// What is known of the bytes under `key`, without reading them.
    func metadata(for key: DataCacheKey) async -> DataCacheMetadata?
    /// Keeps `entry` under `key`. It can be had at once, also while it is being written.
    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async
    /// Says that the server has confirmed the bytes under `key`.
    func update(_ freshness: CacheFreshness, for key: DataCacheKey) async
    /// Removes the bytes under `key`.
    func remove(for key: DataCacheKey) async
    /// Removes the bytes of all variants in `group`.
    func removeAll(in group: String) async
    /// Removes everything.
    func removeAll() async
    /// Returns when what was given to the cache is on disk.
    func flush() async
}

/// What bytes on disk are known by.
///
/// Of one picture all variants are in one group, so that they can be removed together.
public struct DataCacheKey: Hashable, Sendable {
    /// The picture: its URL, as normalised by the pipeline, or its name.
    public var group: String
    /// What was made of it, as length-delimited parts; empty for the original's bytes.
    public var variant: [UInt8]

    /// A key of these parts.
    public init(group: String, variant: [UInt8] = []) {
        self.group = group
        self.variant = variant
    }
}

/// Cached bytes and what is known of them.
public struct DataCacheEntry: Sendable {
    /// The bytes.
    public var data: Data
    /// What is known of them.
    public var metadata: DataCacheMetadata

    /// An entry of these.
    public init(data: Data, metadata: DataCacheMetadata) {
        self.data = data
        self.metadata = metadata
    }
}

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

/// Until when cached bytes are good without asking their server (RFC 9111, section 4.2).
public struct CacheFreshness: Hashable, Sendable {
    /// When the server last said that this is the current version, in seconds since 1970.
    public var validatedAt: Int64
    /// For how many seconds it is good from then on.
    public var lifetime: Int64

    /// Freshness of these facts.
    public init(validatedAt: Int64, lifetime: Int64) {
        self.validatedAt = validatedAt
        self.lifetime = lifetime
    }

    /// Whether the bytes are still good at `time`, in seconds since 1970.
    public func isFresh(at time: Int64) -> Bool {
        let age = time.subtractingReportingOverflow(validatedAt)
        return !age.overflow && age.partialValue >= 0 && age.partialValue < lifetime
    }
}

extension DataCacheMetadata {
    /// What is to be kept beside the bytes of `response`.
    /// - Parameter time: When the response arrived, in seconds since 1970.
    public init(response: DataResponse, receivedAt time: Int64) {
        self.init(
            url: response.url?.absoluteString, mimeType: response.mimeType, entityTag: response.headers["ETag"],
            lastModified: response.headers["Last-Modified"],
            freshness: CacheFreshness(response: response, receivedAt: time))
    }

    /// The same version after the server has confirmed it (304): what the response says takes the place of what was said.
    /// - Parameter time: When the response arrived, in seconds since 1970.
    public func confirmed(by response: DataResponse, receivedAt time: Int64) -> DataCacheMetadata {
        var confirmed = self
        // What isn't said again stays as it was.
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
    /// Whether the server lets the bytes be kept at all (`Cache-Control: no-store` forbids it).
    public var allowsCaching: Bool { !CacheControl(headers).noStore }
}

extension CacheFreshness {
    /// What a response says, or its dates suggest (RFC 9111, sections 4.2.1 and 4.2.2, for a private cache).
    ///
    /// Without a word of the server's, a version is good for a tenth of the time since it changed, a day at most.
    /// - Parameter time: When the response arrived, in seconds since 1970.
    public init(response: DataResponse, receivedAt time: Int64) {
        let headers = response.headers
        let control = CacheControl(headers)
        let date = headers["Date"].flatMap { HTTPDate.secondsSince1970($0.trimmedHTTPWhitespace) }
        // A clock that runs ahead of the server's must not age what has just arrived; one that runs behind can't.
        let apparentAge = date.map { max(0, time - $0) } ?? 0
        let age = max(apparentAge, headers["Age"].flatMap { DeltaSeconds.parse($0.trimmedHTTPWhitespace) } ?? 0)
        let lifetime: Int64
        if control.noStore || control.noCache {
            lifetime = 0
        } else if let maximumAge = control.maximumAge {
            lifetime = maximumAge
        } else if let expires = headers["Expires"] {
            // A date that can't be read, such as 0, is past (section 5.3).
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
