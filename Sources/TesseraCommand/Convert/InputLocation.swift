/// Where a picture is read from.
enum InputLocation: Hashable, Sendable, CustomStringConvertible {
    case standardInput
    case file(String)

    /// `-` stands for standard input.
    init(_ argument: String) { self = argument == "-" ? .standardInput : .file(argument) }

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
