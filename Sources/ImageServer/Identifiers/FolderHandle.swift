internal import Platform

/// An open folder that confines path resolution: paths can't lead outside it.
struct FolderHandle: ~Copyable {
    private let folder: OpenFolder

    /// Opens a folder that the operator has configured.
    /// - Parameter goesByStep: Whether to walk paths one name at a time even if the system can confine them.
    /// - Throws: 404 if there is none, 503 if the process has too many open files.
    init(path: String, goesByStep: Bool) throws(RequestFailure) {
        do throws(SystemError) {
            folder = try OpenFolder(path: path, goesByStep: goesByStep)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Opens `path` beneath the folder and returns its file descriptor, which the caller closes.
    /// - Throws: 404 if there is none, 503 if fewer than eight descriptors are left.
    func descriptor(of path: String, for purpose: OpenFolder.Purpose) throws(RequestFailure) -> CInt {
        let descriptor: CInt
        do throws(SystemError) {
            descriptor = try folder.descriptor(of: path, for: purpose)
        } catch {
            throw Self.failure(error)
        }
        // Downloads don't get the last ones: Dispatch ends the process if it can't open its threads' state.
        guard !DescriptorLimit.isReserved(Int(descriptor)) else {
            close(descriptor)
            throw Self.failure(SystemError(EMFILE))
        }
        return descriptor
    }

    /// The status of the file at `path` beneath the folder; nil if there is none.
    func status(of path: String) -> FileStatus? { folder.status(of: path) }

    private static func failure(_ error: SystemError) -> RequestFailure {
        error.code == EMFILE || error.code == ENFILE || error.code == ENOMEM
            ? RequestFailure(503, "the server is busy", retryAfter: 1) : .noSuchPicture
    }
}
