/// The process's standard output as a sink. Bytes are buffered until `flush()`.
///
/// If the reader goes away, SIGPIPE ends the process, as is usual for commands; a process that ignores the signal gets an
/// `inputOutput` error instead.
public final class StandardOutput: ByteSink {
    private var output: BufferedOutput

    /// Standard output.
    public convenience init() {
        self.init(FileDescriptor(STDOUT_FILENO, name: "standard output", isOwned: false))
    }

    package init(_ file: consuming FileDescriptor) {
        output = BufferedOutput(file)
    }

    /// Whether it is a terminal, which can't display an image's bytes.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes the next bytes.
    /// - Throws: `inputOutput`.
    public func write(_ bytes: RawSpan) throws(ImageError) { try output.write(bytes) }

    /// Writes the buffered bytes.
    /// - Throws: `inputOutput`.
    public func flush() throws(ImageError) { try output.flush() }
}
