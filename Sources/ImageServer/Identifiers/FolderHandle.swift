internal import CTesseraSystem
internal import ImageFormats
internal import Platform

/// An open folder, beneath which things are opened and nowhere else.
struct FolderHandle: ~Copyable {
    let number: CInt
    /// Whether paths are walked step by step though the system could do better.
    let goesByStep: Bool

    /// What is opened, and for what.
    enum Purpose {
        case reading, listing, status

        var kind: tessera_open_kind {
            switch self {
            case .reading: TESSERA_OPEN_FILE
            case .listing: TESSERA_OPEN_FOLDER
            case .status: TESSERA_OPEN_STATUS
            }
        }
    }

    /// Opens the folder at a path of the operator's.
    /// - Throws: 404 where there is none, 503 where the process has too many files open.
    init(path: String, goesByStep: Bool) throws(RequestFailure) {
        let number = SystemCall.open(path, O_RDONLY | O_DIRECTORY)
        guard number >= 0 else { throw Self.failure(errno) }
        self.number = number
        self.goesByStep = goesByStep
    }

    deinit { close(number) }

    /// The system's number of what `path` leads to beneath the folder, for the caller to close.
    func descriptor(of path: String, for purpose: Purpose) throws(RequestFailure) -> CInt {
        let number =
            goesByStep
            ? tessera_open_beneath_by_steps(self.number, path, purpose.kind)
            : tessera_open_beneath(self.number, path, purpose.kind)
        guard number >= 0 else { throw Self.failure(errno) }
        return number
    }

    /// The status of what `path` leads to beneath the folder; nil where there is nothing.
    func status(of path: String) -> FileStatus? {
        guard let number = try? descriptor(of: path, for: .status) else { return nil }
        defer { close(number) }
        return FileStatus(number)
    }

    private static func failure(_ code: CInt) -> RequestFailure {
        code == EMFILE || code == ENFILE || code == ENOMEM
            ? RequestFailure(503, "the server is busy", retryAfter: 1) : .noSuchPicture
    }
}
