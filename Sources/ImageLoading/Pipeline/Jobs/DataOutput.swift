#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Bytes that a job got, and how.
struct DataOutput: Sendable {
    var data: Data
    var response: DataResponse?
    var source: ImageResponse.Source
    var metadata: DataCacheMetadata?
    /// Whether the server said that what is cached is still right; there are no bytes then.
    var isUnchanged = false
    var isJoined = false
    var stages: [ImageTaskMetrics.Stage] = []
    var byteCount = 0
    /// Counts the bytes until they are decoded.
    var held: HeldBytes?
}
