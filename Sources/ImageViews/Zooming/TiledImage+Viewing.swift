package import Essentials
internal import ImageLoading
package import ImagePyramid

extension TiledImage {
    /// Opens what a view zooms: a file where it is, anything else from the pipeline's bytes, as they come; shown in the passes
    /// that it has.
    package convenience init(viewing url: URL) async throws {
        let options = Options(showsPasses: true)
        if url.isFileURL {
            try await self.init(contentsOf: url.path(percentEncoded: false), options: options)
        } else {
            try await self.init(ImagePipeline.shared.bytes(for: url).map { [UInt8]($0) }, options: options)
        }
    }
}
