internal import ImageFormats
internal import Tessera

/// A change of a file that keeps its format and name.
protocol FileRewrite: Sendable {
    /// The past participle for reports, as in "3 of 4 files optimized".
    var verb: String { get }

    /// Returns the changed file.
    /// - Parameter name: The output's path, whose extension must name the file's format; nil for standard output.
    func applied(to file: [UInt8], outputName name: String?) throws(ImageError) -> RewrittenFile
}

/// The result of a file's change.
struct RewrittenFile: Sendable {
    /// The new file; nil if the file stays as it is.
    var bytes: [UInt8]?
    /// A remark for the user.
    var note: String?
    /// Members of the file's object in JSON, beside names and lengths.
    var json: [(String, JSONValue)] = []
}
