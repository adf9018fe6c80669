#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a decoder can know of the bytes that it is to decode.
public struct ImageDecodingContext: Sendable {
    /// What was asked for.
    public var request: ImageRequest
    /// The bytes so far.
    public var data: Data
    /// Whether these are all.
    public var isCompleted: Bool
    /// What the server said; nil where none was asked.
    public var urlResponse: DataResponse?

    /// A context of these.
    public init(
        request: ImageRequest, data: Data, isCompleted: Bool = true, urlResponse: DataResponse? = nil
    ) {
        self.request = request
        self.data = data
        self.isCompleted = isCompleted
        self.urlResponse = urlResponse
    }
}
