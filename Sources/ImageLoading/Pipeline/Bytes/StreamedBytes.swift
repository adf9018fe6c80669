#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Raster

/// The bytes of a request as they arrive, each piece loaded when the one before was taken.
struct StreamedBytes: AsyncSequence, Sendable {
    let loader: ImageLoader
    let request: ImageRequest
    let key: DataCacheKey

    /// The server has another version than the one that some bytes were delivered of.
    static let changed = ImagePipeline.Error.dataLoadingFailed(
        ImageError(.inputOutput, "the picture has changed while it was loaded"))

    /// Longer ones don't go to the disk cache, since they would have to be in memory for that.
    private static let maximumKeptByteCount = 64 << 20

    func makeAsyncIterator() -> Iterator {
        let rendezvous = Rendezvous<Data>()
        let task = Task {
            do {
                try await deliver(to: rendezvous)
                rendezvous.finish(.success(()))
            } catch {
                rendezvous.finish(.failure(ImagePipeline.Error(error)))
            }
        }
        return Iterator(source: Source(rendezvous, task))
    }

    private func deliver(to rendezvous: Rendezvous<Data>) async throws {
        var kept: Data? = Data()
        var response: DataResponse?
        var count = 0
        switch request.source {
        case .image: return
        case .data(let make):
            let data = try await make()
            kept = data
            try await rendezvous.give(data)
        case .url(let url):
            try await loader.fetcher.fetch(
                DataRequest(url: url, headers: request.headers), conditionalOn: nil
            ) { event in
                switch event {
                case .response(let new): response = new
                case .restart: if count > 0 { throw Self.changed }
                case .data(let piece):
                    count += piece.count
                    if count > Self.maximumKeptByteCount { kept = nil }
                    kept?.append(piece)
                    try await rendezvous.give(piece)
                }
            }
        }
        guard let kept, !kept.isEmpty, let cache = loader.writes(request) else { return }
        await loader.store(
            DataOutput(data: kept, response: response, source: .network, metadata: loader.metadata(of: response)),
            of: request, in: cache, key)
    }

    /// The loading, which ends when nobody reads any longer.
    final class Source: Sendable {
        let rendezvous: Rendezvous<Data>
        private let task: Task<Void, Never>

        init(_ rendezvous: Rendezvous<Data>, _ task: Task<Void, Never>) {
            self.rendezvous = rendezvous
            self.task = task
        }

        deinit { cancel() }

        func cancel() {
            task.cancel()
            rendezvous.close()
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        let source: Source

        mutating func next() async throws -> Data? {
            let source = source
            return try await withTaskCancellationHandler {
                try await source.rendezvous.take()
            } onCancel: {
                source.cancel()
            }
        }
    }
}
