internal import ImageFormats
internal import Platform
package import Raster

/// Files without a name, of which nothing outlives the process.
package enum UnnamedFile {
    #if os(Linux)
    // O_TMPFILE is a macro of two parts, which Swift doesn't see; the first is the same on every processor.
    private static let flags: CInt = 0o20000000 | O_DIRECTORY
    #endif

    /// Where the system has files that nobody needs for long.
    package static var temporaryFolder: String {
        guard let folder = getenv("TMPDIR").map({ String(cString: $0) }), !folder.isEmpty else { return "/tmp" }
        return folder
    }

    /// Opens a file in `folder` that has no name, or none any more, for reading and writing. The number is the caller's to
    /// close; messages call the file `name`.
    /// - Throws: `inputOutput`, `invalidParameter` for what is no path.
    package static func open(in folder: String, called name: String) throws(ImageError) -> CInt {
        guard !folder.isEmpty, !folder.utf8.contains(0) else {
            throw ImageError(.invalidParameter, "a folder's path can't be empty or contain a zero byte")
        }
        #if os(Linux)
        // With O_EXCL nobody can give it a name later.
        let number = SystemCall.open(folder, O_RDWR | flags | O_EXCL, mode: 0o600)
        if number >= 0 { return number }
        #endif
        while true {
            let path = "\(folder)/.tessera-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tiles"
            let number = SystemCall.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            if number >= 0 {
                guard unlink(path) == 0 else {
                    let error = failure("made to have no name", name)
                    close(number)
                    throw error
                }
                return number
            }
            guard errno == EEXIST else { throw failure("made", name) }
        }
    }

    private static func failure(_ purpose: String, _ name: String) -> ImageError {
        ImageError(.inputOutput, "\(name) can't be \(purpose): \(String(cString: strerror(errno)))")
    }
}
