#if HTTP
internal import Crypto
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

    /// The same bytes, which end with an error if they have another checksum.
    func checking(_ body: DataChunks) -> DataChunks {
        DataChunks {
            // One task at a time uses the iterator.
            nonisolated(unsafe) var pieces = body.makeAsyncIterator()
            var sum = Sum(self)
            return {
                guard let piece = try await pieces.next() else {
                    guard sum.text == expected else {
                        throw S3Failure(code: "BadDigest", message: "the object's bytes don't have its checksum")
                    }
                    return nil
                }
                sum.add(piece)
                return piece
            }
        }
    }

    private var expected: String {
        switch self {
        case .sha256(let sum), .crc32(let sum), .md5(let sum): sum
        }
    }

    /// A checksum that is being computed.
    private enum Sum {
        case sha256(SHA256)
        case crc32(UInt32)
        case md5(Insecure.MD5)

        init(_ kind: S3Checksum) {
            switch kind {
            case .sha256: self = .sha256(SHA256())
            case .crc32: self = .crc32(0)
            case .md5: self = .md5(Insecure.MD5())
            }
        }

        mutating func add(_ piece: Data) {
            switch self {
            case .sha256(var sum):
                sum.update(data: piece)
                self = .sha256(sum)
            case .crc32(let sum): self = .crc32(CRC32.of(piece, after: sum))
            case .md5(var sum):
                sum.update(data: piece)
                self = .md5(sum)
            }
        }

        /// The checksum so far, as stores write it.
        var text: String {
            switch self {
            case .sha256(let sum): Data(sum.finalize()).base64EncodedString()
            case .crc32(let sum):
                Data((0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }).base64EncodedString()
            case .md5(let sum): AWSSignature.hexadecimal(sum.finalize())
            }
        }
    }
}
#endif
