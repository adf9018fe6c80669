/// The process's standard output as a sink. What was written is out only after `flush()`.
///
/// A reader that goes away ends the process by SIGPIPE, as is usual for commands; in a process that ignores the signal
/// it is an error, `inputOutput`, like any other.
public final class StandardOutput: ByteSink {
    private var output: BufferedOutput

    /// Standard output.
    public convenience init() {
        self.init(FileDescriptor(STDOUT_FILENO, name: "standard output", isOwned: false))
    }

    package init(_ file: consuming FileDescriptor) {
        output = BufferedOutput(file)
    }

    /// Whether it is a terminal, where a picture's bytes would only do harm.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Takes the bytes that come next.
    /// - Throws: `inputOutput`.
    public func write(_ bytes: RawSpan) throws(ImageError) { try output.write(bytes) }

    /// Writes what is still held back.
    /// - Throws: `inputOutput`.
    public func flush() throws(ImageError) { try output.flush() }
}
