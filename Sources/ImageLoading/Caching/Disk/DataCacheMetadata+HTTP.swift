#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
