package import Platform

/// A picture's file, opened: whatever becomes of its name, this is the one that was found.
package final class OpenedFile: Sendable {
    /// What it is called, with its extension.
    package let identifier: PictureIdentifier
    /// The system's number for it, which is this object's to close.
    package let number: CInt
    private let status: FileStatus

    /// Takes over the open file `number`; nil, with the file closed, where the system has no status for it.
    /// - Parameter version: What tells its content from another; nil for what the file system says of it.
    init?(_ number: CInt, identifier: PictureIdentifier, version: String? = nil) {
        guard let status = FileStatus(number) else {
            close(number)
            return nil
        }
        self.number = number
        self.status = status
        self.identifier = identifier
        self.version = version ?? status.version
    }

    /// Whether it has content of its own, as neither folders nor pipes nor devices have.
    var isRegular: Bool { status.kind == .regular }

    deinit { close(number) }

    /// A path that opens this very file once more, as long as this object lives, which whoever uses the path sees to.
    package var path: String {
        #if os(Linux)
        "/proc/self/fd/\(number)"
        #else
        "/dev/fd/\(number)"
        #endif
    }

    /// How long it was when it was opened.
    package var byteCount: Int { status.byteCount }
    /// When it was last written.
    package var modificationTime: FileTime { status.modificationTime }
    /// Which file system it is on.
    package var device: UInt64 { status.device }
    /// Which file there it is.
    package var inode: UInt64 { status.inode }

    /// Up to thirteen letters and digits that are others when the file is another one or was changed: for tags and the
    /// keys of caches. They say nothing of the file system.
    package let version: String
}
