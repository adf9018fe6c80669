internal import Platform

/// Messages to standard error, for errors without a window.
enum ViewerMessage {
    /// Prints a message and exits with status 1.
    static func fail(_ message: String) -> Never {
        // Names come from the shell, and a terminal would act on escape sequences in them.
        let bytes = Array("\(message.printable)\n".utf8)
        // An error of this write can't be reported.
        _ = write(STDERR_FILENO, bytes, bytes.count)
        exit(1)
    }
}
