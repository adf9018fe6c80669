internal import Platform

/// Prints a line to standard output, on which names of files are the bytes that they are. On a terminal, characters that
/// could command it are shown instead, as in `\x1b`.
func print(_ text: String) {
    guard isatty(STDOUT_FILENO) == 0 else { return Swift.print(text.printable) }
    guard text.hasEscapes else { return Swift.print(text) }
    // Earlier lines are still in the C library's buffer.
    fflush(nil)
    let file = FileDescriptor(STDOUT_FILENO, name: "standard output", isOwned: false)
    try? (text.nativeBytes + [UInt8(ascii: "\n")]).withUnsafeBytes { try file.write($0) }
}

/// Prints a value's description to standard output, as text is printed.
func print(_ value: some CustomStringConvertible) { print(value.description) }
