internal import ArgumentParser

extension TesseraCommand {
    /// Parses the arguments and runs the command that they name.
    ///
    /// An invalid combination that shows only while a command runs is reported with that command's usage.
    static func main() async {
        var command: any ParsableCommand
        do {
            command = try parseAsRoot(try commandArguments(Array(CommandLine.arguments.dropFirst())))
        } catch {
            exit(withError: error)
        }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError {
            StandardError.report(error.message)
            StandardError.note(usage(of: type(of: command)))
            exit(withError: ExitCode.validationFailure)
        } catch {
            exit(withError: error)
        }
    }

    /// Returns the arguments with a command's former name replaced.
    /// - Throws: `ExitCode` if help is wanted for a command that doesn't exist, which is reported.
    private static func commandArguments(_ arguments: [String]) throws -> [String] {
        if arguments.first == "open" { return ["bench"] + arguments }
        guard arguments.first == "help" else { return arguments }
        var command: any ParsableCommand.Type = self
        for name in arguments.dropFirst() where !name.hasPrefix("-") {
            guard let child = command.configuration.subcommands.first(where: { $0._commandName == name }) else {
                StandardError.report("there is no command \"\(name)\"; `tessera help` lists the commands")
                throw ExitCode.validationFailure
            }
            command = child
        }
        return arguments
    }

    /// Returns the usage of a command as the argument parser prints it.
    private static func usage(of command: any ParsableCommand.Type) -> String {
        let names = path(to: command, from: self) ?? [_commandName]
        var usage = command.usageString()
        // A usage that isn't written out begins with the command's own name.
        if !usage.hasPrefix(names[0] + " ") { usage = (names.dropLast() + [usage]).joined(separator: " ") }
        let lines = usage.split(separator: "\n").joined(separator: "\n       ")
        return "Usage: \(lines)\n  See '\(names.joined(separator: " ")) --help' for more information."
    }

    /// Returns the names that lead to a command among the subcommands of another.
    private static func path(
        to command: any ParsableCommand.Type, from root: any ParsableCommand.Type
    ) -> [String]? {
        if command == root { return [root._commandName] }
        for child in root.configuration.subcommands {
            if let names = path(to: command, from: child) { return [root._commandName] + names }
        }
        return nil
    }
}
