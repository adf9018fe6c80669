package import ImageFormats
package import Platform
internal import Raster

/// An image's open file, which stays the same file even if its name is removed or reused, or an object in a bucket.
package final class OpenedFile: Sendable {
    /// The image's identifier, including its extension.
    package let identifier: PictureIdentifier
    /// The file's bytes from its start. Errors from it don't name the file.
    package let source: Source
    /// The file's status when it was opened; nil for an object in a bucket.
    package let status: FileStatus?
    /// The size when it was opened.
    package let byteCount: Int
    /// The last modification when it was opened.
    package let modificationTime: FileTime

    /// Takes ownership of the descriptor `number`; nil, with the file closed, if the system has no status for it.
    /// - Parameter version: Identifies the content; nil to use the file's status.
    init?(_ number: CInt, identifier: PictureIdentifier, version: String? = nil) {
        let file = FileDescriptor(number, name: "the file", isOwned: true)
        guard let status = FileStatus(number), let source = try? Source(file, from: 0) else { return nil }
        self.source = source
        self.status = status
        byteCount = status.byteCount
        modificationTime = status.modificationTime
        self.identifier = identifier
        self.version = version ?? status.version
        sharedVersion = version ?? status.sharedVersion
    }

    /// An object in a bucket.
    /// - Parameter version: Identifies the content, wherever it is served.
    init(
        _ source: Source, identifier: PictureIdentifier, byteCount: Int, modificationTime: FileTime, version: String
    ) {
        self.source = source
        status = nil
        self.identifier = identifier
        self.byteCount = byteCount
        self.modificationTime = modificationTime
        self.version = version
        sharedVersion = version
    }

    /// Calls `body`, which reads from the file: where that may wait for a bucket, on threads that may block.
    func reading<R: Sendable>(
        _ body: sending () async throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        guard status == nil else { return try await body() }
        // What `withTaskExecutorPreference` throws has no type.
        let result: Result<R, ImageError> = await withTaskExecutorPreference(Self.readers) {
            do throws(ImageError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static let readers = ImageExecutor(width: 16)

    /// The most bytes of a file that is read into memory as a whole.
    static let largestRead = 256 << 20

    /// Up to thirteen letters and digits that change when the file is replaced or modified, for cache keys. They reveal
    /// nothing about the file system.
    package let version: String
    /// The same for entity tags: they are equal wherever the file has the same size and modification time, so that
    /// servers side by side, each with its copy, give the same tags.
    package let sharedVersion: String
}
