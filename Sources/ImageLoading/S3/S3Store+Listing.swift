#if HTTP
internal import Essentials
public import Raster

extension S3Store {
    /// The objects and common prefixes below a prefix.
    public struct Listing: Hashable, Sendable {
        /// The objects, by key.
        public var objects: [ObjectInfo] = []
        /// The prefixes up to the next slash, like folders.
        public var prefixes: [S3Address] = []
        /// Whether the listing has everything.
        public var isComplete = true
    }

    /// Lists the objects whose keys begin with the address's key, page by page.
    /// - Parameters:
    ///   - isRecursive: Whether to list all objects; otherwise those up to the next slash, with prefixes in place of folders.
    ///   - limit: The most entries; `isComplete` is false if there are more.
    /// - Throws: `inputOutput` with the address and the store's reason.
    public func list(
        _ address: S3Address, isRecursive: Bool = false, limit: Int = 1_000_000
    ) async throws(ImageError) -> Listing {
        do {
            return try await listing(address, isRecursive: isRecursive, limit: limit)
        } catch {
            throw ImageError(error, about: address, "listing")
        }
    }

    /// Lists objects as `list(_:isRecursive:limit:)` does.
    /// - Throws: `S3Failure`.
    package func listing(_ address: S3Address, isRecursive: Bool, limit: Int) async throws -> Listing {
        var listing = Listing()
        try await forEachPage(of: address, isRecursive: isRecursive) { page in
            listing.objects += page.objects
            listing.prefixes += page.prefixes
            listing.isComplete = page.isComplete
            return listing.objects.count + listing.prefixes.count < limit
        }
        return listing
    }

    /// Lists objects as `list(_:isRecursive:limit:)` does, a page at a time, as long as `body` returns true. The last page is
    /// the complete one.
    /// - Throws: `S3Failure`, or an error of `body`.
    package func forEachPage(
        of address: S3Address, isRecursive: Bool, _ body: (Listing) async throws -> Bool
    ) async throws {
        var token: String?
        repeat {
            let page = try await page(of: address, isRecursive: isRecursive, token)
            // A page that continues with itself would never end.
            guard page.next == nil || page.next != token else {
                throw S3Failure(code: "InvalidAnswer", message: "the store's list doesn't go on")
            }
            token = page.next
            let listing = Listing(objects: page.objects, prefixes: page.prefixes, isComplete: token == nil)
            guard try await body(listing) else { return }
        } while token != nil
    }

    /// The largest page that is read, in bytes: a thousand keys, escaped.
    private static let largestPage = 16 << 20

    private func page(
        of address: S3Address, isRecursive: Bool, _ token: String?
    ) async throws -> (objects: [ObjectInfo], prefixes: [S3Address], next: String?) {
        var request = try S3Request("GET", S3Address(bucket: address.bucket, key: ""))
        request.query = [("list-type", "2")]
        if !address.key.isEmpty { request.query.append(("prefix", address.key)) }
        if !isRecursive { request.query.append(("delimiter", "/")) }
        if let token { request.query.append(("continuation-token", token)) }
        return try await perform(request) { download in
            let bytes = try await self.receive(download, limit: Self.largestPage)
            guard let root = XMLElement(bytes), root.name == "ListBucketResult" else {
                throw S3Failure(code: "InvalidAnswer", message: "the store's list isn't readable")
            }
            let objects = try root.all("Contents").compactMap { try Self.object($0, in: address.bucket) }
            let prefixes = root.all("CommonPrefixes").compactMap { element in
                element["Prefix"].flatMap { try? S3Address(bucket: address.bucket, key: $0) }
            }
            let isLast = root["IsTruncated"] != "true"
            return (objects, prefixes, isLast ? nil : root["NextContinuationToken"])
        }
    }

    /// An object of a list; nil for a key that can't be an address.
    private static func object(_ element: XMLElement, in bucket: String) throws -> ObjectInfo? {
        guard let key = element["Key"], let size = element["Size"].flatMap({ Int($0) }), size >= 0 else {
            throw S3Failure(code: "InvalidAnswer", message: "the store's list has an object without key or size")
        }
        guard let address = try? S3Address(bucket: bucket, key: key) else { return nil }
        let date = element["LastModified"].flatMap { text -> Int64? in
            // Some stores have fractions of a second, which the strategy doesn't take.
            let whole = text.prefix { $0 != "." && $0 != "Z" } + "Z"
            return (try? Date(String(whole), strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
        }
        return ObjectInfo(address: address, byteCount: size, entityTag: element["ETag"], modificationTime: date)
    }
}
#endif
