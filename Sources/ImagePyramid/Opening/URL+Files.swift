internal import Essentials
internal import Raster

extension URL {
    /// The path of the file that a `file` URL names.
    /// - Parameter remedy: What to do with any other URL, for the error.
    /// - Throws: `invalidParameter` for any other URL.
    func filePath(remedy: String) throws(ImageError) -> String {
        guard isFileURL else { throw ImageError(.invalidParameter, "\(self) is not a file URL; \(remedy)") }
        return path(percentEncoded: false)
    }
}
