internal import ArgumentParser
internal import ImageFormats
internal import ImageIsolation
internal import Platform

extension TesseraCommand {
    /// Parses the arguments and runs the command that they name.
    ///
    /// An invalid combination that shows only while a command runs is reported with that command's usage.
    static func main() async {
        var command: any ParsableCommand
        do {
            command = try parseLongAsRoot(try commandArguments(ProgramArguments.all))
        } catch {
            end(error)
        }
        // Without the worker's program, or where the system can't confine it, these are decoded here.
        if let registry = IsolatedDecoding.registryForPrograms { CodecRegistry.default = registry }
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
            end(error)
        }
    }

    /// Ends the program as the argument parser does: help goes to standard output, a message to standard error, in which
    /// names of files can't command the terminal.
    private static func end(_ error: any Error) -> Never {
        var code = exitCode(for: error)
        var message = fullMessage(for: error)
        let arguments = ProgramArguments.all
        if let name = arguments.first(where: isFileWithDash), !arguments.contains("-h"), !arguments.contains("--help") {
            // An h in such a name asks for help.
            if code.isSuccess { (code, message) = (.validationFailure, "Error: unknown option \(name)") }
            message += "\nThe name of a file that begins with a dash must be written with its folder: ./\(name)"
        }
        if !message.isEmpty {
            if code.isSuccess { print(message) } else { StandardError.note(message) }
        }
        exit(withError: code)
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

    /// Whether an argument that looks like options is the name of a file.
    private static func isFileWithDash(_ argument: String) -> Bool {
        argument.hasPrefix("-") && argument.count > 2 && FileSystem.isRegularFile(argument)
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
