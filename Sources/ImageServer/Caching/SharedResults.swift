#if HTTP
internal import ImageFormats
package import ImageLoading
internal import Raster
internal import Synchronization

/// Finished responses in a bucket, shared by servers side by side.
///
/// It is only a cache: a response that can't be read or written counts as absent. An object's key is the image's identifier,
/// with slashes percent-encoded, and a SHA-256 of the image's version and the request. Objects never change; a purge and the
/// bucket's own rules delete them.
package final class SharedResults: Sendable {
    private let store: S3Store
    private let bucket: String
    /// The beginning of all keys: empty, or with a slash at its end.
    private let folder: String
    /// The server's settings that responses depend on.
    private let settings: String
    private let state = Mutex(State())

    private struct State {
        var writes: [Int: Task<Void, Never>] = [:]
        var number = 0
        var counts = Counts()
    }

    /// The numbers of responses read and written so far.
    package struct Counts: Hashable, Sendable {
        package var hitCount = 0
        package var missCount = 0
        package var writtenCount = 0
        package var failureCount = 0
    }

    /// The most responses that are being written; further ones aren't stored.
    private static let writeCount = 32
    /// The largest response that is read, in bytes.
    private static let largestResponse = 64 << 20
    /// The most responses that are deleted concurrently.
    private static let deletionCount = 16

    /// Keeps responses at `prefix`, an address in a bucket.
    /// - Parameter store: The bucket's store; nil for the one that the environment names.
    package init(_ prefix: S3Address, settings: String, store: S3Configuration? = nil) {
        bucket = prefix.bucket
        folder = prefix.key.isEmpty || prefix.key.hasSuffix("/") ? prefix.key : prefix.key + "/"
        self.settings = settings
        // A slow bucket must not take longer than rendering.
        var configuration = store ?? S3Store.shared.configuration
        configuration.attemptCount = 2
        configuration.connectTimeout = .seconds(2)
        configuration.idleTimeout = .seconds(5)
        configuration.longestDelay = min(configuration.longestDelay, .seconds(1))
        self.store = S3Store(configuration)
    }

    /// The figures so far.
    package var counts: Counts { state.withLock { $0.counts } }

    /// The address of a response; nil if the identifier is too long for a key.
    private func address(_ name: String, of group: String) -> S3Address? {
        let hash = AWSSignature.hash(Array("\(settings)\n\(name)".utf8))
        return try? S3Address(bucket: bucket, key: "\(folder)\(Self.name(of: group[...]))/\(hash)")
    }

    /// The beginning of an identifier as that of a name in a key: slashes and percent signs are percent-encoded.
    private static func name(of group: Substring) -> String {
        var name: [UInt8] = []
        for byte in group.utf8 {
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%") {
                name += PercentEncoding.encoded(byte).utf8
            } else {
                name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Whether an object of the bucket is a response for an image that `prefix` opens.
    private func isResponse(_ address: S3Address, for prefix: SignedPrefix) -> Bool {
        let parts = address.key.utf8.dropFirst(folder.utf8.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 64, parts[1].allSatisfy(\.isLetterOrDigit),
            let group = PercentEncoding.decoded(String(Substring(parts[0])))
        else { return false }
        return prefix.opens(image: group)
    }

    /// Returns the response called `name` for the image with the identifier `group`; nil if there is none.
    package func picture(_ name: String, of group: String) async -> RenderedPicture? {
        guard let address = address(name, of: group) else { return nil }
        do {
            let found = try await store.content(address, limit: Self.largestResponse)
            state.withLock { state in
                if found == nil { state.counts.missCount += 1 } else { state.counts.hitCount += 1 }
            }
            return found.map { RenderedPicture(mediaType: $0.contentType, bytes: $0.bytes) }
        } catch {
            state.withLock { $0.counts.failureCount += 1 }
            return nil
        }
    }

    /// Writes a response, without waiting for it.
    /// - Parameter isCurrent: Whether the response may still be kept. If it is false once a deletion has begun, no response that
    ///   should be deleted is written after it.
    package func store(
        _ picture: RenderedPicture, _ name: String, of group: String, if isCurrent: () -> Bool = { true }
    ) {
        guard let address = address(name, of: group) else { return }
        let (store, type, bytes) = (store, picture.mediaType, picture.bytes.array)
        state.withLock { state in
            // Asked under the lock that a deletion takes first: it waits for this write, or this write isn't begun.
            guard state.writes.count < Self.writeCount, isCurrent() else { return }
            state.number += 1
            let number = state.number
            state.writes[number] = Task {
                let isWritten = (try? await store.put(bytes, to: address, contentType: type)) != nil
                self.state.withLock { state in
                    state.writes[number] = nil
                    if isWritten { state.counts.writtenCount += 1 } else { state.counts.failureCount += 1 }
                }
            }
        }
    }

    /// Waits for what is being written.
    package func flush() async {
        for task in state.withLock({ Array($0.writes.values) }) { await task.value }
    }

    /// Deletes the responses for the images that `prefix` opens, those that are being written included.
    /// - Returns: Their number.
    /// - Throws: `S3Failure` or `ImageError` if some can't be deleted.
    package func removeAll(of prefix: SignedPrefix) async throws -> Int {
        await flush()
        let beginning = Self.name(of: Substring(prefix.text.utf8.dropFirst())) + (prefix.isFolder ? "" : "/")
        guard let address = try? S3Address(bucket: bucket, key: folder + beginning) else { return 0 }
        var count = 0
        try await store.forEachPage(of: address, isRecursive: true) { [store] page in
            let found = page.objects.map(\.address).filter { isResponse($0, for: prefix) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, address) in found.enumerated() {
                    if number >= Self.deletionCount { try await group.next() }
                    group.addTask { try await store.delete(address) }
                }
                try await group.waitForAll()
            }
            count += found.count
            return true
        }
        return count
    }
}
#endif
