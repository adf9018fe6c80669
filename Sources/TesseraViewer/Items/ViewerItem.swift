#if GTK
internal import Essentials
internal import ImageFormats
internal import ImageLoading

/// An image to be shown: a file or something on a server.
struct ViewerItem: Hashable, Sendable {
    let url: URL

    /// The path of a file; nil for what is elsewhere.
    var path: String? { url.isFileURL ? url.path(percentEncoded: false) : nil }

    /// What people call it.
    var name: String {
        if url.scheme == "data" { return "Picture" }
        let name = url.lastPathComponent
        return name.isEmpty || name == "/" ? url.absoluteString : name
    }

    /// The folder of a file, or the server.
    var place: String {
        if url.isFileURL { return url.deletingLastPathComponent().path(percentEncoded: false) }
        return url.host() ?? url.absoluteString
    }

    /// What is asked for to show a small one.
    func thumbnail(_ pixels: Double) -> ImageRequest {
        var request = ImageRequest(url: url, priority: .low)
        request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: pixels)
        // What takes more while it is decoded (a progressive JPEG does, of 40 megapixels) goes without.
        request.decoding.limits.maximumWorkingByteCount = 128 << 20
        return request
    }
}
#endif
