#if HTTP || Server
internal import CTesseraLibCrypto

/// Digests and authentication codes, by libcrypto; an object is the digest of bytes that come in pieces.
package final class MessageDigest {
    enum Algorithm {
        case md5
        case sha256

        fileprivate var method: OpaquePointer? { self == .md5 ? EVP_md5() : EVP_sha256() }
    }

    /// Created by libcrypto and freed with this object, which no two tasks use at a time.
    private let context: OpaquePointer

    /// An empty digest; nil where libcrypto refuses the algorithm, as it does MD5 in FIPS mode.
    init?(_ algorithm: Algorithm) {
        guard let context = EVP_MD_CTX_new() else { return nil }
        self.context = context
        guard EVP_DigestInit_ex(context, algorithm.method, nil) == 1 else { return nil }
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds the next bytes.
    func update(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable {
            _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        if done == nil { update(Array(bytes)) }
    }

    /// The digest; nothing can be added afterwards.
    func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            _ = EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            count = Int(length)
        }
    }

    /// The digest of `bytes`; nil where libcrypto refuses the algorithm.
    static func of(_ bytes: [UInt8], _ algorithm: Algorithm) -> [UInt8]? {
        guard let digest = MessageDigest(algorithm) else { return nil }
        digest.update(bytes)
        return digest.finish()
    }

    /// The HMAC-SHA256 (RFC 2104) of `message`, 32 bytes.
    package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 0
            let code = HMAC(
                EVP_sha256(), key, Int32(key.count), message, message.count, buffer.baseAddress, &length)
            precondition(code != nil && length == 32, "libcrypto has no HMAC-SHA256")
            count = 32
        }
    }
}
#endif
