#if HTTP
internal import Essentials
public import ImageFormats
internal import Raster

extension S3Store {
    /// The description of an object by its store.
    public struct ObjectInfo: Hashable, Sendable {
        /// The object's address.
        public let address: S3Address
        /// The number of bytes.
        public let byteCount: Int
        /// The entity tag with its quotation marks, which changes with the content; nil if there is none.
        public let entityTag: String?
        /// The last modification in seconds since 1970; nil if unknown.
        public let modificationTime: Int64?
        /// The object's own metadata by names in lower case, without `x-amz-meta-`; empty in a listing.
        public let metadata: [String: String]

        /// The description of an object.
        public init(
            address: S3Address, byteCount: Int, entityTag: String?, modificationTime: Int64?,
            metadata: [String: String] = [:]
        ) {
            self.address = address
            self.byteCount = byteCount
            self.entityTag = entityTag
            self.modificationTime = modificationTime
            self.metadata = metadata
        }

        /// A text that changes when the object is replaced.
        public var version: String { "\(entityTag ?? "") \(byteCount) \(entityTag == nil ? modificationTime ?? 0 : 0)" }
    }

    /// Opens an object, of which only the requested parts are read.
    ///
    /// Its first bytes are read now, and the others when they are used, by ranges. If the object is replaced meanwhile,
    /// reading fails. The source can be used from any thread; reading blocks the thread.
    /// - Throws: `inputOutput` with the address and the store's reason.
    public func source(_ address: S3Address) async throws(ImageError) -> Source {
        try await source(address, firstByteCount: S3Object.firstByteCount)
    }

    /// - Parameter firstByteCount: The bytes that are read now.
    func source(_ address: S3Address, firstByteCount: Int) async throws(ImageError) -> Source {
        do {
            return try await S3Object(self, address, firstByteCount: firstByteCount).makeSource()
        } catch {
            throw ImageError(error, about: address, "reading")
        }
    }

    /// Opens an object as `source(_:)` does, and returns its description.
    /// - Throws: `S3Failure`.
    package func object(_ address: S3Address) async throws -> (source: Source, info: ObjectInfo) {
        let object = try await S3Object(self, address)
        return (object.makeSource(), object.info)
    }

    /// Returns what the store says of the object at `address`; nil if there is none.
    /// - Throws: `inputOutput` with the address and the store's reason.
    public func info(_ address: S3Address) async throws(ImageError) -> ObjectInfo? {
        do {
            return try await perform(S3Request("HEAD", address)) { download in
                Self.info(download.response, address)
            }
        } catch let failure as S3Failure where failure.status == 404 {
            return nil
        } catch {
            throw ImageError(error, about: address, "looking up")
        }
    }

    static func info(_ response: DataResponse, _ address: S3Address) -> ObjectInfo {
        let range = response.headers["Content-Range"].flatMap { ContentRange($0) }
        return ObjectInfo(
            address: address, byteCount: range?.total ?? response.expectedByteCount ?? 0,
            entityTag: response.headers["ETag"],
            modificationTime: response.headers["Last-Modified"].flatMap { HTTPDate.secondsSince1970($0) },
            metadata: Dictionary(
                response.headers.fields.compactMap { field in
                    let name = field.name.lowercased()
                    return name.hasPrefix(metadataPrefix)
                        ? (String(name.dropFirst(metadataPrefix.count)), field.value) : nil
                }, uniquingKeysWith: { first, _ in first }))
    }

    static let metadataPrefix = "x-amz-meta-"

    /// Writes an object of up to 5 GiB in one request.
    /// - Parameters:
    ///   - metadata: The object's own metadata: names of letters and hyphens, values of ASCII.
    ///   - overwrites: Whether an existing object may be replaced.
    /// - Throws: `inputOutput` with the address and the reason, also if the object exists and mustn't be replaced.
    public func put(
        _ bytes: [UInt8], to address: S3Address, contentType: String? = nil, metadata: [String: String] = [:],
        overwrites: Bool = true
    ) async throws(ImageError) {
        _ = try await write(bytes, to: address, contentType, metadata, replacing: overwrites)
    }

    /// Writes an object as `put` does, and returns its entity tag; nil if the store gives none.
    func write(
        _ bytes: [UInt8], to address: S3Address, _ contentType: String?, _ metadata: [String: String],
        replacing overwrites: Bool
    ) async throws(ImageError) -> String? {
        var request = S3Request("PUT", address)
        request.headers += metadata.map { (Self.metadataPrefix + $0.key, $0.value) }
        request.body = bytes
        if let digest = MessageDigest.of(bytes, .md5) {
            request.headers.append(("Content-MD5", Data(digest).base64EncodedString()))
        }
        if let contentType { request.headers.append(("Content-Type", contentType)) }
        do {
            return try await write(request, replacing: overwrites) { download in
                _ = try await self.receive(download, limit: 64 << 10)
                return download.response.headers["ETag"]
            }
        } catch {
            throw ImageError(error, about: address, "writing")
        }
    }

    /// Sends a request that makes an object.
    /// - Parameter overwrites: Whether an existing object may be replaced. Where the store can't check that with the request,
    ///   it is asked before, and an object that appears at that moment is replaced.
    /// - Throws: `ImageError` if the object exists and mustn't be replaced; as `perform`.
    func write<Answer>(
        _ request: S3Request, replacing overwrites: Bool, _ receive: (DataDownload) async throws -> Answer
    ) async throws -> Answer {
        guard !overwrites else { return try await perform(request, receive) }
        let address = try S3Address(bucket: request.bucket, key: request.key)
        if checksForObjects != false {
            var conditional = request
            conditional.headers.append(("If-None-Match", "*"))
            do {
                let answer = try await perform(conditional, receive)
                checksForObjects = true
                return answer
            } catch let failure as S3Failure where failure.status == 412 {
                throw Self.exists(address)
            } catch let failure as S3Failure where failure.status == 501 {
                checksForObjects = false
            }
        }
        guard try await info(address) == nil else { throw Self.exists(address) }
        return try await perform(request, receive)
    }

    static func exists(_ address: S3Address) -> ImageError {
        ImageError(.inputOutput, "\(address) can't be written: it exists already")
    }

    /// Deletes an object; does nothing if there is none.
    /// - Throws: `inputOutput` with the address and the store's reason.
    public func delete(_ address: S3Address) async throws(ImageError) {
        do {
            try await perform(S3Request("DELETE", address)) { download in
                _ = try await self.receive(download, limit: 64 << 10)
            }
        } catch let failure as S3Failure where failure.status == 404 {
            return
        } catch {
            throw ImageError(error, about: address, "deleting")
        }
    }

    /// Returns an object's bytes and media type; nil if there is none. The checksum is compared if the store sends one.
    /// - Throws: `inputOutput` for a failure, and for an object of more than `limit` bytes.
    package func content(
        _ address: S3Address, limit: Int
    ) async throws(ImageError) -> (bytes: [UInt8], contentType: String)? {
        do {
            return try await perform(S3Request("GET", address)) { download in
                var download = download
                download.body = S3Checksum(download.response).map { $0.checking(download.body) } ?? download.body
                let type = download.response.mimeType ?? "application/octet-stream"
                return (try await self.receive(download, limit: limit), type)
            }
        } catch let failure as S3Failure where failure.status == 404 {
            return nil
        } catch {
            throw ImageError(error, about: address, "reading")
        }
    }

    // MARK: Ranges

    /// Returns a byte range of an object.
    /// - Parameter tag: The entity tag that the object must still have.
    /// - Throws: `S3Failure`; its status is 412 if the object has changed.
    func bytes(_ range: Range<Int>, of address: S3Address, ifMatch tag: String?) async throws -> [UInt8] {
        var request = S3Request("GET", address)
        request.headers.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        if let tag { request.headers.append(("If-Match", tag)) }
        return try await perform(request) { download in
            try Self.check(download.response, covers: range)
            return try await self.receive(download, limit: range.count)
        }
    }

    /// Checks that an answer has exactly `range`.
    private static func check(_ response: DataResponse, covers range: Range<Int>) throws {
        guard response.statusCode == 206, let part = response.headers["Content-Range"].flatMap({ ContentRange($0) })
        else {
            throw S3Failure(code: "NoRanges", message: "the store doesn't answer byte ranges")
        }
        guard part.first == range.lowerBound, part.last == range.upperBound - 1 else {
            throw S3Failure(
                code: "Truncated", message: "the store sent bytes \(part.first) to \(part.last), not the requested ones"
            )
        }
    }
}
#endif
