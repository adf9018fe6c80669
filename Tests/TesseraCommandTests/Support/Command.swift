import TestSupport

/// The built program, run as people run it: as a process of its own.
enum Command {
    typealias Outcome = ProgramOutcome

    static let program = BuiltProgram("tessera").path

    /// Runs `tessera` with `arguments` in `folder`, with `input` as its standard input.
    static func run(_ arguments: String..., in folder: TemporaryFolder, input: [UInt8] = []) throws -> Outcome {
        try run(arguments, in: folder, input: input)
    }

    /// Runs `tessera`, or another program, with `arguments` in `folder`, with `input` as its standard input.
    /// - Parameter environment: Variables added to those of the tests.
    static func run(
        _ arguments: [String], in folder: TemporaryFolder, input: [UInt8] = [], environment: [String: String] = [:],
        program: String = program
    ) throws -> Outcome {
        try ProgramOutcome(of: program, arguments, in: folder, input: input, environment: environment)
    }
}
