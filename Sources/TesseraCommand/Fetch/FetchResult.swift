internal import Tessera

/// A picture that was fetched.
struct FetchResult: Sendable {
    /// The file that it is in.
    let path: String
    /// Width and height in pixels; nil for what isn't known as a picture here.
    let size: PixelSize?
    /// The file's bytes.
    let byteCount: Int
    /// Where the picture came from, in a word.
    let source: String
    /// What that took.
    let metrics: ImageTaskMetrics
    /// What making the file took.
    let writing: Duration
    /// What is good to know of it.
    var note: String?
}
