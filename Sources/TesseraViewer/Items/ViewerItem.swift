#if GTK
internal import Essentials
internal import ImageFormats
internal import ImageLoading
internal import Platform

/// An image in the viewer's list: a file or a URL.
struct ViewerItem: Hashable, Sendable {
    let url: URL

    /// The path of a file; nil for other URLs.
    var path: String? { url.isFileURL ? url.path(percentEncoded: false) : nil }

    /// The last change of the file; nil if there is none.
    var modificationTime: FileTime? { path.flatMap { FileStatus(path: $0)?.modificationTime } }

    /// The name for titles.
    var name: String {
        if url.scheme == "data" { return "Picture" }
        let name = url.lastPathComponent.printable
        return name.isEmpty || name == "/" ? url.absoluteString : name
    }

    /// The path of the folder of a file, or the server's name.
    var place: String {
        if url.isFileURL { return url.deletingLastPathComponent().path(percentEncoded: false) }
        return url.host() ?? url.absoluteString
    }

    /// A request for a thumbnail whose longer side is at most `pixels`.
    func thumbnail(_ pixels: Double) -> ImageRequest {
        var request = ImageRequest(url: url, priority: .low)
        request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: pixels)
        // Images that need more working memory have no thumbnail; a progressive JPEG of 40 megapixels is one.
        request.decoding.limits.maximumWorkingByteCount = 128 << 20
        return request
    }
}
#endif
