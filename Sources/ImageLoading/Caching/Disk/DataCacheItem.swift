/// What a pipeline keeps on disk.
public enum DataCacheItem: Hashable, Sendable {
    /// The bytes as they came.
    case originalImageData
    /// The picture after processing, encoded again. Of a request without processors, the bytes as they came.
    case finalImage
}
