/// Bytes on their way.
public struct DataDownload: Sendable {
    /// What is known of them.
    public var response: DataResponse
    /// The bytes in the order in which they arrive, to be iterated once.
    public var body: DataChunks

    /// A download of these.
    public init(response: DataResponse, body: DataChunks) {
        self.response = response
        self.body = body
    }
}
