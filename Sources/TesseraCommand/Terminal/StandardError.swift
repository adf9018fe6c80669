internal import Platform

/// Standard error, to which all messages go, so that standard output contains only results.
enum StandardError {
    /// Whether standard error is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes `text` unchanged.
    static func write(_ text: String) {
        // An error of writing to standard error can't be reported.
        let file = FileDescriptor(STDERR_FILENO, name: "standard error", isOwned: false)
        try? Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    /// Writes an error message in the argument parser's format.
    static func report(_ message: String) { writeMessage("Error: \(message)\n") }

    /// Writes an informational line.
    static func note(_ message: String) { writeMessage("\(message)\n") }

    /// Writes text that may contain names of files: characters in them that could command a terminal are shown instead.
    static func writeMessage(_ text: String) { write(text.printable) }

    /// The terminal's width in columns; 80 if unknown.
    static var columnCount: Int { Int(windowSize?.ws_col ?? 80) }

    /// The terminal's height in lines; 24 if unknown.
    static var rowCount: Int { Int(windowSize?.ws_row ?? 24) }

    private static var windowSize: winsize? {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0 ? size : nil
    }
}
