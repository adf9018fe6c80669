internal import ArgumentParser

/// A command with an argument for the names of its inputs, however many.
protocol InputNaming: ParsableCommand {
    /// The inputs, and after them the output if the command has one.
    var names: [String] { get set }
}

extension ParsableCommand {
    /// Parses the arguments as `parseAsRoot` does, in time that is proportional to their number.
    ///
    /// The parser's own time grows with the square of the number of names: 20 seconds for 30,000. So a long list of names is
    /// one name to it.
    static func parseLongAsRoot(_ arguments: [String]) throws -> any ParsableCommand {
        var (longest, start) = (0..<0, 0)
        for index in 0...arguments.count where index == arguments.count || arguments[index].hasPrefix("-") {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        // The first ones may be subcommands or an option's value.
        let names = longest.dropFirst(4)
        guard names.count >= 100 else { return try parseAsRoot(arguments) }
        var fewer = arguments
        // No argument of a program has a byte 0.
        fewer.replaceSubrange(names, with: ["\0"])
        guard var command = try parseAsRoot(fewer) as? any InputNaming, let place = command.names.firstIndex(of: "\0")
        else { return try parseAsRoot(arguments) }
        command.names.replaceSubrange(place...place, with: arguments[names])
        return command
    }
}
