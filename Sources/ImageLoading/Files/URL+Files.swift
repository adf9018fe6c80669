internal import Essentials
internal import Raster

extension URL {
    /// The path of a `file` URL.
    /// - Parameter remedy: The alternative for other URLs, which the error recommends.
    /// - Throws: `invalidParameter` for other URLs.
    func filePath(remedy: String) throws(ImageError) -> String {
        guard isFileURL else { throw ImageError(.invalidParameter, "\(self) is not a file URL; \(remedy)") }
        return path(percentEncoded: false)
    }
}
