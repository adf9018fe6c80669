#if HTTP
internal import Essentials
internal import ImageFormats
public import Raster

/// Writes an object, which appears whole or not at all: `commit()` gives it its name.
///
/// Up to 64 MiB are kept in memory and sent by one request. More are sent as parts of 16 MiB or more while they are written; if
/// the object isn't committed, the store is told to discard them. Writing blocks the thread.
public final class S3Writer: ByteSink {
    /// The object's address.
    public let address: S3Address
    private let store: S3Store
    private let contentType: String?
    /// Whether an existing object may be replaced when this one gets its name.
    package var overwrites: Bool
    /// The object's own metadata; to be set before the first byte.
    package var metadata: [String: String] = [:]
    private var pending: [UInt8] = []
    private var byteCount = 0
    /// The upload in parts and the parts' entity tags; nil while the bytes may fit one request.
    private var upload: (id: String, tags: [String])?
    private var failure: ImageError?
    /// The version that a list shows of the object; nil before it has its name, and for one that was sent in parts.
    package private(set) var version: String?

    /// The most bytes that are sent by one request.
    package static let largestRequest = 64 << 20

    /// Prepares an object.
    /// - Parameter overwrites: Whether an existing object may be replaced.
    /// - Throws: `inputOutput` if the object exists and mustn't be replaced, or if the store can't be reached.
    public init(
        _ store: S3Store, _ address: S3Address, contentType: String? = nil, overwrites: Bool = false
    ) throws(ImageError) {
        guard !address.key.isEmpty, !address.key.hasSuffix("/") else {
            throw ImageError(.invalidParameter, "\(address) names no object: add a name, as in s3://bucket/photo.jpg")
        }
        self.store = store
        self.address = address
        self.contentType = contentType
        self.overwrites = overwrites
        if !overwrites, try store.waiting(for: address, "looking up", { try await store.info(address) }) != nil {
            throw S3Store.exists(address)
        }
    }

    deinit { discard() }

    /// The bytes in a part: larger for many, since there are at most ten thousand.
    private var partByteCount: Int { 16 << (20 + (upload?.tags.count ?? 0) / 1000) }

    /// Writes the next bytes.
    /// - Throws: `inputOutput`; the object can't be committed after that.
    public func write(_ bytes: RawSpan) throws(ImageError) {
        if let failure { throw failure }
        // The pointer is used within the call only.
        bytes.withUnsafeBytes { pending.append(contentsOf: $0) }
        byteCount += bytes.byteCount
        do throws(ImageError) {
            if upload == nil, pending.count > Self.largestRequest { try begin() }
            while upload != nil, pending.count >= partByteCount { try sendPart(partByteCount) }
        } catch {
            throw failed(error)
        }
    }

    /// Gives the object its name.
    /// - Throws: `inputOutput`, also when an object of that name has appeared in the meantime and must not be replaced.
    public func commit() throws(ImageError) {
        if let failure { throw failure }
        do throws(ImageError) {
            if upload == nil {
                let (store, address, contentType, overwrites, bytes) = (
                    store, address, contentType, overwrites, pending
                )
                let metadata = metadata
                let tag = try store.waiting(for: address, "writing") {
                    try await store.write(bytes, to: address, contentType, metadata, replacing: overwrites)
                }
                version = tag.map {
                    S3Store.ObjectInfo(address: address, byteCount: byteCount, entityTag: $0, modificationTime: nil)
                        .version
                }
            } else {
                if !pending.isEmpty { try sendPart(pending.count) }
                try complete()
            }
        } catch {
            throw failed(error)
        }
        pending = []
        failure = ImageError(.invalidParameter, "\(address) was committed")
    }

    private func failed(_ error: ImageError) -> ImageError {
        failure = error
        discard()
        pending = []
        return error
    }

    // MARK: Parts

    private func begin() throws(ImageError) {
        var request = S3Request("POST", address)
        request.query = [("uploads", "")]
        if let contentType { request.headers.append(("Content-Type", contentType)) }
        request.headers += metadata.map { (S3Store.metadataPrefix + $0.key, $0.value) }
        let id = try store.waiting(for: address, "writing") { [store, request] in
            try await store.perform(request) { download in
                let bytes = try await store.receive(download, limit: 64 << 10)
                guard let id = XMLElement(bytes)?["UploadId"], !id.isEmpty else {
                    throw S3Failure(code: "InvalidAnswer", message: "the store began no upload")
                }
                return id
            }
        }
        upload = (id, [])
    }

    private func sendPart(_ count: Int) throws(ImageError) {
        guard let id = upload?.id, let number = upload?.tags.count else { return }
        var request = S3Request("PUT", address)
        request.query = [("partNumber", "\(number + 1)"), ("uploadId", id)]
        let part = Array(pending.prefix(count))
        if let digest = MessageDigest.of(part, .md5) {
            request.headers.append(("Content-MD5", Data(digest).base64EncodedString()))
        }
        request.body = part
        let tag = try store.waiting(for: address, "writing") { [store, request] in
            try await store.perform(request) { download in
                _ = try await store.receive(download, limit: 64 << 10)
                guard let tag = download.response.headers["ETag"] else {
                    throw S3Failure(code: "InvalidAnswer", message: "the store gave a part no entity tag")
                }
                return tag
            }
        }
        upload?.tags.append(tag)
        pending.removeFirst(count)
    }

    private func complete() throws(ImageError) {
        guard let upload else { return }
        var request = S3Request("POST", address)
        request.query = [("uploadId", upload.id)]
        let parts = upload.tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(XMLElement.escaped(tag))</ETag></Part>"
        }
        request.body = Array(
            ("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" + parts.joined()
                + "</CompleteMultipartUpload>").utf8)
        request.headers.append(("Content-Type", "application/xml"))
        let (store, address, byteCount, overwrites) = (store, address, byteCount, overwrites)
        try store.waiting(for: address, "writing") { [request] in
            do {
                try await store.write(request, replacing: overwrites) { download in
                    // The store may find a failure after it has sent the status.
                    let bytes = try await store.receive(download, limit: 64 << 10)
                    if let root = XMLElement(bytes), root.name == "Error" {
                        throw S3Failure(download.response, body: bytes, now: 0)
                    }
                }
            } catch let failure as S3Failure where failure.code == "NoSuchUpload" {
                // An earlier attempt succeeded if its answer was lost.
                guard try await store.info(address)?.byteCount == byteCount else { throw failure }
            }
        }
        self.upload = nil
    }

    /// Tells the store to discard the parts. If that fails, the bucket's rules for incomplete uploads remain.
    private func discard() {
        guard let upload else { return }
        self.upload = nil
        var request = S3Request("DELETE", address)
        request.query = [("uploadId", upload.id)]
        _ = try? store.waiting(for: address, "writing") { [store, request] in
            try await store.perform(request) { download in _ = try await store.receive(download, limit: 64 << 10) }
        }
    }
}
#endif
