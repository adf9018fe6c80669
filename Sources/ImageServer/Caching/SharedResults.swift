#if HTTP
internal import ImageLoading
internal import Raster
internal import Synchronization

/// Finished responses in a bucket, shared by servers side by side.
///
/// It is only a cache: a response that can't be read or written counts as absent. Objects are named by a SHA-256 of the image,
/// its version and the request, and never change; the bucket's own rules delete old ones.
package final class SharedResults: Sendable {
    private let store: S3Store
    private let prefix: S3Address
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

    /// Keeps responses at `prefix`, an address in a bucket.
    init(_ prefix: S3Address, settings: String, store: S3Store? = nil) {
        self.prefix = prefix
        self.settings = settings
        if let store {
            self.store = store
        } else {
            // A slow bucket must not take longer than rendering.
            var configuration = S3Store.shared.configuration
            configuration.attemptCount = 2
            configuration.connectTimeout = .seconds(2)
            configuration.idleTimeout = .seconds(5)
            configuration.longestDelay = .seconds(1)
            self.store = S3Store(configuration)
        }
    }

    /// The figures so far.
    package var counts: Counts { state.withLock { $0.counts } }

    private func address(_ name: String) -> S3Address? {
        let hash = AWSSignature.hash(Array("\(settings)\n\(name)".utf8))
        let folder = prefix.key.isEmpty || prefix.key.hasSuffix("/") ? prefix.key : prefix.key + "/"
        // The first digits as a folder spread the objects over the store's partitions.
        return try? S3Address(bucket: prefix.bucket, key: "\(folder)\(hash.prefix(2))/\(hash)")
    }

    /// Returns the response called `name`; nil if there is none.
    func picture(_ name: String) async -> RenderedPicture? {
        guard let address = address(name) else { return nil }
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
    func store(_ picture: RenderedPicture, _ name: String) {
        guard let address = address(name) else { return }
        let (store, type, bytes) = (store, picture.mediaType, picture.bytes.array)
        state.withLock { state in
            guard state.writes.count < Self.writeCount else { return }
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
    func flush() async {
        for task in state.withLock({ Array($0.writes.values) }) { await task.value }
    }
}
#endif
