#if HTTP
internal import Essentials
internal import ImageFormats

/// A checksum that a store sends for a whole object.
enum S3Checksum: Equatable {
    case sha256(String)
    case crc32(String)
    /// The entity tag of an object that was written by one request, without encryption keys of a client or a key service.
    case md5(String)

    /// The strongest checksum in an answer; nil if there is none for the whole object.
    init?(_ response: DataResponse) {
        // Parts' checksums are combined to one with the number of parts behind a hyphen.
        func value(_ name: String) -> String? { response.headers[name].flatMap { $0.contains("-") ? nil : $0 } }
        if let sum = value("x-amz-checksum-sha256") {
            self = .sha256(sum)
        } else if let sum = value("x-amz-checksum-crc32") {
            self = .crc32(sum)
        } else {
            let encryption = response.headers["x-amz-server-side-encryption"] ?? ""
            guard let tag = response.headers["ETag"]?.lowercased(), !encryption.hasPrefix("aws:"),
                response.headers["x-amz-server-side-encryption-customer-algorithm"] == nil
            else { return nil }
            let digits = tag.filter { $0 != "\"" }
            guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit) else { return nil }
            self = .md5(digits)
        }
    }

    /// The same bytes, which end with an error if they have another checksum; unchecked where libcrypto refuses MD5.
    func checking(_ body: DataChunks) -> DataChunks {
        DataChunks {
            // One task at a time uses the iterator.
            nonisolated(unsafe) var pieces = body.makeAsyncIterator()
            let digest = algorithm.flatMap { MessageDigest($0) }
            var crc32: UInt32 = 0
            return {
                guard let piece = try await pieces.next() else {
                    guard isMatched(by: digest?.finish(), crc32) else {
                        throw S3Failure(code: "BadDigest", message: "the object's bytes don't have its checksum")
                    }
                    return nil
                }
                if let digest { digest.update(piece) } else { crc32 = CRC32.of(piece, after: crc32) }
                return piece
            }
        }
    }

    private var algorithm: MessageDigest.Algorithm? {
        switch self {
        case .sha256: .sha256
        case .md5: .md5
        case .crc32: nil
        }
    }

    /// Whether the digest or the CRC-32 of all bytes is the expected one, as stores write it.
    private func isMatched(by digest: [UInt8]?, _ crc32: UInt32) -> Bool {
        switch self {
        case .sha256(let sum): digest.map { Data($0).base64EncodedString() == sum } ?? true
        case .md5(let sum): digest.map { AWSSignature.hexadecimal($0) == sum } ?? true
        case .crc32(let sum):
            Data((0..<4).map { UInt8(truncatingIfNeeded: crc32 >> (24 - 8 * $0)) }).base64EncodedString() == sum
        }
    }
}
#endif
