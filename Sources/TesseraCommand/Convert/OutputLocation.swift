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
