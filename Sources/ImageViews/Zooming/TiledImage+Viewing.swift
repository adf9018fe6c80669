package import Essentials
internal import ImageLoading
package import ImagePyramid

extension TiledImage {
    /// Opens an image for a zooming view: a file directly, anything else from the pipeline's bytes as they arrive, with
    /// its progressive passes.
    package convenience init(viewing url: URL) async throws {
        let options = Options(showsPasses: true)
        if url.isFileURL {
            try await self.init(contentsOf: url.path(percentEncoded: false), options: options)
        } else {
            try await self.init(ImagePipeline.shared.bytes(for: url).map { [UInt8]($0) }, options: options)
        }
    }
}
