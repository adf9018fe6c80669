internal import ImageFormats
internal import Tessera

/// Where a conversion's bytes go: a file that appears whole or not at all, or standard output.
final class EncodedOutput: ByteSink {
    private let target: any ByteSink
    private let end: () throws(ImageError) -> Void
    /// How many bytes were written.
    private(set) var byteCount = 0

    /// Makes room for the output.
    /// - Throws: `inputOutput` for a file that can't be written, exists and isn't to be replaced, or a terminal.
    init(_ location: OutputLocation, overwrites: Bool) throws(ImageError) {
        switch location {
        case .file(let path):
            guard overwrites || !FileSystem.isRegularFile(path) else { throw Self.exists(path) }
            let file = try AtomicFile(path: path, overwrites: overwrites)
            (target, end) = (file, file.commit)
        case .standardOutput:
            guard !StandardOutput.isTerminal else {
                throw ImageError(.inputOutput, "standard output is a terminal; redirect it to a file or a program")
            }
            let output = StandardOutput()
            (target, end) = (output, output.flush)
        }
    }

    /// Why a file that exists isn't written.
    static func exists(_ path: String) -> ImageError {
        ImageError(.inputOutput, "\(path) exists already; --force replaces it")
    }

    func write(_ bytes: RawSpan) throws(ImageError) {
        byteCount += bytes.byteCount
        try target.write(bytes)
    }

    /// Says that all bytes are written.
    func commit() throws(ImageError) { try end() }

    /// Writes a picture as a PNG file, which appears whole or not at all.
    static func write(_ bitmap: Bitmap, toPNG path: String, overwrites: Bool) throws(ImageError) {
        let output = try EncodedOutput(.file(path), overwrites: overwrites)
        try ImageDestination(format: .png).encode(bitmap, to: output)
        try output.commit()
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
