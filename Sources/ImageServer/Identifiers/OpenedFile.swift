package import ImageFormats
package import Platform

/// A picture's file, opened: whatever becomes of its name, this is the one that was found.
package final class OpenedFile: Sendable {
    /// What it is called, with its extension.
    package let identifier: PictureIdentifier
    /// Its bytes, from the first on. Messages about them don't name the file.
    package let source: Source
    /// What the file system said of it.
    package let status: FileStatus

    /// Takes over the open file `number`; nil, with the file closed, where the system has no status for it.
    /// - Parameter version: What tells its content from another; nil for what the file system says of it.
    init?(_ number: CInt, identifier: PictureIdentifier, version: String? = nil) {
        let file = FileDescriptor(number, name: "the file", isOwned: true)
        guard let status = FileStatus(number), let source = try? Source(file, from: 0) else { return nil }
        self.source = source
        self.status = status
        self.identifier = identifier
        self.version = version ?? status.version
    }

    /// A larger file isn't read into memory as a whole.
    static let largestRead = 256 << 20

    /// How long it was when it was opened.
    package var byteCount: Int { status.byteCount }
    /// When it was last written.
    package var modificationTime: FileTime { status.modificationTime }

    /// Up to thirteen letters and digits that are others when the file is another one or was changed: for tags and the
    /// keys of caches. They say nothing of the file system.
    package let version: String
}
