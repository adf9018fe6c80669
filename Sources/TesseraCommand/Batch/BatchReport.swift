internal import ImageFormats
internal import Platform
internal import Tessera

/// A file of JSON lines with an object for each input, each written as soon as the input is done.
final class BatchReport: Sendable {
    private let file: FileDescriptor

    /// Opens the file at `path`, replacing its content; `-` is standard output.
    init(_ path: String) throws(ImageError) {
        guard path != "-" else {
            file = FileDescriptor(STDOUT_FILENO, name: "standard output", isOwned: false)
            return
        }
        if !FilePath(path).folder.isEmpty { try FileSystem.makeFolder(FilePath(path).folder) }
        // Lines of several processes that were given one file by mistake stay whole.
        file = try FileDescriptor(
            opening: path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, purpose: .writing)
    }

    /// Writes the object of an input.
    func write(_ outcome: BatchOutcome) throws(ImageError) {
        let line = Array("\(outcome.json.compactText)\n".utf8)
        // One call writes the line: the descriptor appends.
        try line.span.withUnsafeBytes { (bytes) throws(ImageError) in try file.write(bytes) }
    }
}

/// The outcome of an input.
struct BatchOutcome: Sendable {
    /// The ways in which an input is done.
    enum Kind: Sendable {
        case written(Conversion.Result)
        /// It was there, made by the same recipe from the same version of the input.
        case current
        case failed(ImageError)
    }

    /// The input's name in the list.
    let input: String
    /// The output's path; nil if it has none.
    let output: String?
    let kind: Kind

    var json: JSONValue {
        var members: [(String, JSONValue)] = [("input", .string(input))]
        if let output { members.append(("output", .string(output))) }
        switch kind {
        case .written(let result):
            members += [
                ("status", .string("written")), ("inputBytes", .integer(result.inputByteCount)),
                ("outputBytes", .integer(result.outputByteCount)),
            ]
            if let note = result.note { members.append(("note", .string(note))) }
        case .current: members.append(("status", .string("current")))
        case .failed(let error):
            members += [
                ("status", .string("failed")), ("code", .string("\(error.code)")), ("error", .string(error.message)),
            ]
        }
        return .object(members)
    }
}
