#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImagePipeline {
    /// The request's bytes as they came, from the disk cache or from where they are, and kept there; nothing is decoded.
    public func data(for request: ImageRequest) async throws(Error) -> (data: Data, response: DataResponse?) {
        let (loader, inbox) = (loader, DataInbox())
        do {
            let subscription = try loader.load(request, for: .bytes(inbox))
            let output = try await withTaskCancellationHandler {
                try await inbox.last()
            } onCancel: {
                inbox.finish(.failure(CancellationError()))
                loader.graph.unsubscribe(subscription)
            }
            guard !output.data.isEmpty else { throw Error.dataIsEmpty }
            return (output.data, output.response)
        } catch {
            throw Error(error)
        }
    }

    /// The bytes at `url`.
    public func data(for url: URL) async throws(Error) -> (data: Data, response: DataResponse?) {
        try await data(for: ImageRequest(url: url))
    }
}
