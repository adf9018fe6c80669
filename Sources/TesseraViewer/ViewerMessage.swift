internal import Platform

/// What the program says where there is no window to say it in.
enum ViewerMessage {
    /// Says it and ends the program with status 1.
    static func fail(_ message: String) -> Never {
        let bytes = Array("\(message)\n".utf8)
        // What can't be written can't be reported either.
        _ = write(STDERR_FILENO, bytes, bytes.count)
        exit(1)
    }
}
