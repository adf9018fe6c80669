package import ImageFormats
package import Platform

/// An image's open file, which stays the same file even if its name is removed or reused.
package final class OpenedFile: Sendable {
    /// The image's identifier, including its extension.
    package let identifier: PictureIdentifier
    /// The file's bytes from its start. Errors from it don't name the file.
    package let source: Source
    /// The file's status when it was opened.
    package let status: FileStatus

    /// Takes ownership of the descriptor `number`; nil, with the file closed, if the system has no status for it.
    /// - Parameter version: Identifies the content; nil to use the file's status.
    init?(_ number: CInt, identifier: PictureIdentifier, version: String? = nil) {
        let file = FileDescriptor(number, name: "the file", isOwned: true)
        guard let status = FileStatus(number), let source = try? Source(file, from: 0) else { return nil }
        self.source = source
        self.status = status
        self.identifier = identifier
        self.version = version ?? status.version
        sharedVersion = version ?? status.sharedVersion
    }

    /// The most bytes of a file that is read into memory as a whole.
    static let largestRead = 256 << 20

    /// The file's size when it was opened.
    package var byteCount: Int { status.byteCount }
    /// The file's last modification when it was opened.
    package var modificationTime: FileTime { status.modificationTime }

    /// Up to thirteen letters and digits that change when the file is replaced or modified, for cache keys. They reveal
    /// nothing about the file system.
    package let version: String
    /// The same for entity tags: they are equal wherever the file has the same size and modification time, so that
    /// servers side by side, each with its copy, give the same tags.
    package let sharedVersion: String
}
