internal import Tessera

extension ConversionBatch {
    /// Prints the inputs and outputs of all conversions, and writes nothing.
    /// - Returns: Whether every input can be opened, and every output may be written.
    func printPlan() -> Bool {
        for failure in list.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard !list.reportsNoInputs() else { return false }
        var failureCount = list.failures.count
        for entry in list.entries {
            do throws(ImageError) {
                print("\(entry.input) -> \(try plannedOutput(of: entry))")
            } catch {
                StandardError.report(error.message(about: entry.input))
                failureCount += 1
            }
        }
        let count = list.entries.count + list.failures.count
        if count > 1 || !list.skipped.isEmpty {
            let counts = OutputCounts(
                converted: count - failureCount, failed: failureCount, skipped: list.skipped.count)
            StandardError.note(counts.text("would be converted", canForce: list.options.existing == .refuse))
        }
        return failureCount == 0
    }

    /// Returns the output of a conversion; of several files with numbers, a name with `N` for the number.
    /// - Throws: `inputOutput` if the input can't be opened or the output exists.
    private func plannedOutput(of entry: ConversionList.Entry) throws(ImageError) -> OutputLocation {
        // Opening a pipe would wait for its writer.
        if case .file(let path) = entry.input, FileSystem.isRegularFile(path) || FileSystem.identity(path) == nil {
            _ = try entry.input.open()
        }
        if !settings.overwrites, let output = entry.existingOutput(settings.selection) {
            throw EncodedOutput.exists(output)
        }
        return settings.selection == .each ? entry.output.numbered("N") : entry.output
    }
}
