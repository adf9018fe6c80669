internal import Platform

/// An open folder of pictures, beneath which things are opened and nowhere else.
struct FolderHandle: ~Copyable {
    private let folder: OpenFolder

    /// Opens the folder at a path of the operator's.
    /// - Parameter goesByStep: Whether paths are walked step by step though the system could do better.
    /// - Throws: 404 where there is none, 503 where the process has too many files open.
    init(path: String, goesByStep: Bool) throws(RequestFailure) {
        do throws(SystemError) {
            folder = try OpenFolder(path: path, goesByStep: goesByStep)
        } catch {
            throw Self.failure(error)
        }
    }

    /// The system's number of what `path` leads to beneath the folder, for the caller to close.
    func descriptor(of path: String, for purpose: OpenFolder.Purpose) throws(RequestFailure) -> CInt {
        do throws(SystemError) {
            return try folder.descriptor(of: path, for: purpose)
        } catch {
            throw Self.failure(error)
        }
    }

    /// The status of what `path` leads to beneath the folder; nil where there is nothing.
    func status(of path: String) -> FileStatus? { folder.status(of: path) }

    private static func failure(_ error: SystemError) -> RequestFailure {
        error.code == EMFILE || error.code == ENFILE || error.code == ENOMEM
            ? RequestFailure(503, "the server is busy", retryAfter: 1) : .noSuchPicture
    }
}
