internal import ArgumentParser

/// One of a library's names, as an argument.
enum Choice {
    /// The case whose raw value is `argument`.
    static func parse<T: RawRepresentable<String> & CaseIterable>(_ argument: String) throws -> T {
        guard let choice = T(rawValue: argument.lowercased()) else {
            throw ValidationError("write one of \(T.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}
