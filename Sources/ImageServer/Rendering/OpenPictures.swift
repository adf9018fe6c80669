internal import ImageFormats
internal import Raster

/// The pictures that were asked for last, open.
package final class OpenPictures: Sendable {
    /// By their identifiers, so that a file that is replaced isn't kept open.
    private let pictures: ByteBoundedCache<String, ServedPicture>
    private let opening = SharedRenders<ServedPicture>()

    /// As many as `countLimit`, whose raw tiles take at most `storeByteLimit` on the disk.
    package init(countLimit: Int, storeByteLimit: Int) {
        pictures = ByteBoundedCache(costLimit: storeByteLimit, countLimit: countLimit)
    }

    /// How many are open.
    package var count: Int { pictures.totals.count }

    /// The picture in `file`.
    /// - Throws: 404 for a file that holds none, 413 for one beyond the limits, 500 for one that can't be read.
    package func picture(in file: OpenedFile) async throws(RequestFailure) -> ServedPicture {
        let key = file.identifier.path
        if let picture = pictures.value(for: key), picture.file.version == file.version { return picture }
        let pictures = pictures
        return try await opening.value(for: "\(file.version) \(key)") { () throws(RequestFailure) in
            do throws(ImageError) {
                let picture = try await ServedPicture(file)
                pictures.insert(picture, for: key, cost: min(picture.storeByteCount, pictures.costLimit))
                return picture
            } catch {
                throw RequestFailure(opening: error)
            }
        }
    }
}
