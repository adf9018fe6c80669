#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Bytes that are wanted.
public struct DataRequest: Sendable {
    /// Where they are.
    public var url: URL
    /// Header fields to send.
    public var headers: HTTPHeaders

    /// The bytes at `url`.
    public init(url: URL, headers: HTTPHeaders = HTTPHeaders()) {
        self.url = url
        self.headers = headers
    }
}
