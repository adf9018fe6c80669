#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImagePipeline {
    /// The request's bytes as they came, from the disk cache or from where they are, and kept there; nothing is decoded.
    public func data(for request: ImageRequest) async throws(Error) -> (data: Data, response: DataResponse?) {
        let inbox = Inbox<DataEvent>()
        let key = loader.dataKey(request)
        let loader = loader
        guard
            let subscription = loader.graph.subscribe(
                to: .data(key), priority: request.priority, .bytes(inbox),
                run: { id in await loader.run(id, request, key, conditionalOn: nil) })
        else { throw .cancelled }
        do {
            return try await withTaskCancellationHandler {
                while true {
                    guard case .final(.complete(let output)) = try await inbox.next() else { continue }
                    guard !output.data.isEmpty else { throw Error.dataIsEmpty }
                    return (output.data, output.response)
                }
            } onCancel: {
                inbox.finish(.failure(CancellationError()))
                loader.graph.unsubscribe(subscription)
            }
        } catch {
            throw Error(error)
        }
    }

    /// The bytes at `url`.
    public func data(for url: URL) async throws(Error) -> (data: Data, response: DataResponse?) {
        try await data(for: ImageRequest(url: url))
    }
}
