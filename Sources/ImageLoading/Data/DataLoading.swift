/// Something that loads bytes: over HTTP unless it is one of your own.
public protocol DataLoading: Sendable {
    /// Loads what `request` asks for: one exchange, without retrying.
    ///
    /// Returns when the response is known. Cancelling the task that called, or that iterates the body, ends the transfer.
    func load(_ request: DataRequest) async throws -> DataDownload
}
