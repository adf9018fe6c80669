internal import ImageFormats

/// What jobs that may be shared are known by.
enum JobKey: Hashable, Sendable {
    /// The bytes of a picture.
    case data(DataJobKey)
    /// A picture, processed.
    case image(ImageJobKey)
    /// A picture's bytes, for the disk cache.
    case encoding(DataCacheKey)
}

/// Which bytes, and from where they may come.
struct DataJobKey: Hashable, Sendable {
    let group: String
    let options: ImageRequest.Options
    let cachePolicy: ImageRequest.CachePolicy
    let headers: HTTPHeaders
    /// Whether no more is wanted than to know if they have changed.
    let isValidation: Bool
}

/// Which picture, made how, and from where it may come.
struct ImageJobKey: Hashable, Sendable {
    let picture: ImageCacheKey
    let options: ImageRequest.Options
    let cachePolicy: ImageRequest.CachePolicy
    let headers: HTTPHeaders
    let isProgressive: Bool
}
