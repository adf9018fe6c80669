internal import Platform

/// Where messages go, so that standard output carries results only.
enum StandardError {
    /// Whether somebody looks at it on a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes `text` as it is.
    static func write(_ text: String) {
        // A message that can't be written can't be reported either.
        let file = FileDescriptor(STDERR_FILENO, name: "standard error", isOwned: false)
        try? Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    /// Writes a line that says what failed, in the form that the argument parser uses.
    static func report(_ message: String) { write("Error: \(message)\n") }

    /// Writes a line that is good to know.
    static func note(_ message: String) { write("\(message)\n") }

    /// How many columns the terminal has; 80 where it doesn't say.
    static var columnCount: Int { Int(windowSize?.ws_col ?? 80) }

    /// How many lines the terminal has; 24 where it doesn't say.
    static var rowCount: Int { Int(windowSize?.ws_row ?? 24) }

    private static var windowSize: winsize? {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0 ? size : nil
    }
}
