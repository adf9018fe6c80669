internal import Tessera

/// What is to happen to every picture that is fetched.
struct FetchSettings: Sendable {
    /// The folder to write to; empty for the current one.
    var folder: String
    /// Whether existing files may be replaced.
    var overwrites: Bool
    /// Whether previews are written, too.
    var writesPreviews: Bool
    /// Whether the bytes are written as they came; else the picture is written anew.
    var keepsBytes: Bool
    /// The format to write; nil for the one that suits the picture.
    var format: ImageFormat?
    /// How to write.
    var encoding: EncodingOptions
    /// How large the picture is decoded; nil for as it is.
    var thumbnail: ImageRequest.ThumbnailOptions?
    /// What is done to it then.
    var processors: [any ImageProcessing]
    /// How much a picture may ask for.
    var limits: DecodingLimits
    /// How much of what is on disk is used.
    var cachePolicy: ImageRequest.CachePolicy
    /// What servers are told beside the address.
    var headers: HTTPHeaders

    /// The path of the file called `name`.
    func path(_ name: String) -> String { FilePath(name, in: folder).text }
}
