internal import ImageFormats
internal import Tessera

/// Where a conversion's bytes go: a file that appears whole or not at all, or standard output.
final class EncodedOutput: ByteSink {
    private enum Target {
        case file(AtomicFile)
        case standardOutput(StandardOutput)
    }

    private let target: Target
    /// How many bytes were written.
    private(set) var byteCount = 0

    /// Makes room for the output.
    /// - Throws: `inputOutput` for a file that can't be written, exists and isn't to be replaced, or a terminal.
    init(_ location: OutputLocation, overwrites: Bool) throws(ImageError) {
        switch location {
        case .file(let path):
            guard overwrites || !FileSystem.isRegularFile(path) else {
                throw Self.exists(path)
            }
            target = .file(try AtomicFile(path: path, overwrites: overwrites))
        case .standardOutput:
            guard !StandardOutput.isTerminal else {
                throw ImageError(.inputOutput, "standard output is a terminal; redirect it to a file or a program")
            }
            target = .standardOutput(StandardOutput())
        }
    }

    /// Why a file that exists isn't written.
    static func exists(_ path: String) -> ImageError {
        ImageError(.inputOutput, "\(path) exists already; --force replaces it")
    }

    func write(_ bytes: RawSpan) throws(ImageError) {
        byteCount += bytes.byteCount
        switch target {
        case .file(let file): try file.write(bytes)
        case .standardOutput(let output): try output.write(bytes)
        }
    }

    /// Says that all bytes are written.
    func commit() throws(ImageError) {
        switch target {
        case .file(let file): try file.commit()
        case .standardOutput(let output): try output.flush()
        }
    }
}

/// Where a picture is written to.
enum OutputLocation: Hashable, Sendable, CustomStringConvertible {
    case standardOutput
    case file(String)

    /// `-` stands for standard output.
    init(_ argument: String) { self = argument == "-" ? .standardOutput : .file(argument) }

    /// Which file it is; nil where there is none yet.
    var identity: FileSystem.Identity? {
        if case .file(let path) = self { FileSystem.identity(path) } else { nil }
    }

    var description: String {
        switch self {
        case .standardOutput: "standard output"
        case .file(let path): path
        }
    }
}

/// Where a picture is read from.
enum InputLocation: Hashable, Sendable, CustomStringConvertible {
    case standardInput
    case file(String)

    /// `-` stands for standard input.
    init(_ argument: String) { self = argument == "-" ? .standardInput : .file(argument) }

    /// Opens it.
    /// - Throws: `inputOutput`.
    func open() throws(ImageError) -> Source {
        switch self {
        case .standardInput: try Source.standardInput()
        case .file(let path): try Source(path: path)
        }
    }

    /// Which file it is; nil where there is none yet.
    var identity: FileSystem.Identity? {
        if case .file(let path) = self { FileSystem.identity(path) } else { nil }
    }

    var description: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path
        }
    }
}
