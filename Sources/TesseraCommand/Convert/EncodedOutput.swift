internal import ImageFormats
internal import Platform
internal import Tessera

/// The output of a conversion: a file or an object in a bucket that appears whole or not at all, or standard output.
final class EncodedOutput: ByteSink {
    private let target: any ByteSink
    private let end: () throws(ImageError) -> Void
    /// The number of the open file; nil for standard output and for an object.
    private let file: CInt?
    /// The number of bytes written.
    private(set) var byteCount = 0
    /// Sets the mark of an object in a bucket; nil for files.
    private let setObjectMark: ((ObjectMark) -> Void)?
    /// The mark that the output gets; nil for none. To be set before the first byte.
    var mark: OutputMark? { didSet { if case .ofObject(let mark)? = mark { setObjectMark?(mark) } } }

    /// Opens the output.
    /// - Parameter keepsTimes: Whether a replaced file's times of last access and change are kept.
    /// - Throws: `inputOutput` for a file that can't be written or may not be overwritten, or if standard output is a
    ///   terminal.
    init(_ location: OutputLocation, overwrites: Bool, keepsTimes: Bool = false) throws(ImageError) {
        switch location {
        case .file(let path) where BucketFiles.isAddress(path):
            do throws(ImageError) {
                let (target, setMark, commit) = try BucketFiles.writer(path, overwrites: overwrites)
                (self.target, end, file, setObjectMark) = (target, commit, nil, setMark)
            } catch  where error.message.hasSuffix("it exists already") {
                throw Self.exists(path)
            }
        case .file(let path):
            guard overwrites || !FileSystem.isRegularFile(path) else { throw Self.exists(path) }
            let file = try AtomicFile(path: path, overwrites: overwrites)
            if keepsTimes { file.keepTimes(of: path) }
            (target, end, self.file, setObjectMark) = (file, file.commit, file.fileNumber, nil)
        case .standardOutput:
            guard !StandardOutput.isTerminal else {
                throw ImageError(.inputOutput, "standard output is a terminal; redirect it to a file or a program")
            }
            let output = StandardOutput()
            (target, end, file, setObjectMark) = (output, output.flush, nil, nil)
        }
    }

    /// Returns the error for a file that already exists.
    static func exists(_ path: String) -> ImageError {
        ImageError(.inputOutput, "\(path) exists already; --force replaces it")
    }

    func write(_ bytes: RawSpan) throws(ImageError) {
        byteCount += bytes.byteCount
        try target.write(bytes)
    }

    /// Completes the output; a file gets its name now.
    func commit() throws(ImageError) {
        guard let file, case .ofFile(let mark)? = mark else { return try end() }
        try mark.willName(file, byteCount: byteCount)
        try end()
        mark.didName(file)
    }

    /// Writes an image as a PNG file, which appears whole or not at all.
    static func write(_ bitmap: Bitmap, toPNG path: String, overwrites: Bool) throws(ImageError) {
        let output = try EncodedOutput(.file(path), overwrites: overwrites)
        try ImageDestination(format: .png).encode(bitmap, to: output)
        try output.commit()
    }
}

/// A record with an output of what it was made from.
enum OutputMark: Sendable {
    case ofFile(any FileMark)
    case ofObject(ObjectMark)
}

/// A record of what a file was made from.
protocol FileMark: Sendable {
    /// Marks the open file of this number, which is complete and has no name yet.
    func willName(_ file: CInt, byteCount: Int) throws(ImageError)
    /// The open file has its name.
    func didName(_ file: CInt)
}

/// A record in the metadata of an object of what it was made from.
struct ObjectMark: Sendable {
    let text: String
    /// Whether the object is written only if there is none.
    let isNew: Bool
    /// Called when the object has its name, with the version that it is listed with.
    let didStore: @Sendable (_ version: String) -> Void
}

/// The destination of an image.
enum OutputLocation: Hashable, Sendable, CustomStringConvertible {
    case standardOutput
    case file(String)

    /// Parses an argument; `-` is standard output.
    init(_ argument: String) { self = argument == "-" ? .standardOutput : .file(argument) }

    /// The identity of the file; nil if it doesn't exist.
    var identity: FileSystem.Identity? {
        if case .file(let path) = self { FileSystem.identity(path) } else { nil }
    }

    /// Returns the location for one of several outputs: `a-2.png` for `a.png`.
    func numbered(_ number: String) -> OutputLocation {
        guard case .file(let path) = self else { return self }
        let file = FilePath(path)
        return .file(FilePath("\(file.stem)-\(number).\(file.filenameExtension)", in: file.folder).text)
    }

    var description: String {
        switch self {
        case .standardOutput: "standard output"
        case .file(let path): path
        }
    }
}

/// The source of an image.
enum InputLocation: Hashable, Sendable, CustomStringConvertible {
    case standardInput
    case file(String)

    /// Parses an argument; `-` is standard input.
    init(_ argument: String) { self = argument == "-" ? .standardInput : .file(argument) }

    /// Opens the input.
    /// - Throws: `inputOutput` if the file can't be opened.
    func open() throws(ImageError) -> Source {
        switch self {
        case .standardInput: try Source.standardInput()
        case .file(let path):
            try BucketFiles.isAddress(path) ? BucketFiles.open(path, isWhole: true) : Source(path: path)
        }
    }

    /// The identity of the file; nil if it doesn't exist.
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
