#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Cached bytes and what is known of them.
public struct DataCacheEntry: Sendable {
    /// The bytes.
    public var data: Data
    /// What is known of them.
    public var metadata: DataCacheMetadata

    /// An entry of these.
    public init(data: Data, metadata: DataCacheMetadata) {
        self.data = data
        self.metadata = metadata
    }
}
