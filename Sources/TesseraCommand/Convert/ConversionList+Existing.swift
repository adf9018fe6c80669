internal import Tessera

extension ConversionList {
    /// Removes files found in a folder that are outputs of an earlier run: those into which another file of the same
    /// folder would be converted.
    mutating func leaveOutEarlierOutputs() {
        var folders: [FileSystem.Identity: String] = [:]
        for entry in entries where entry.isFound {
            if let file = entry.output.identity, file != entry.input.identity { folders[file] = entry.inputFolder }
        }
        guard !folders.isEmpty else { return }
        entries.removeAll { entry in
            guard entry.isFound, let file = entry.input.identity, let folder = folders[file] else { return false }
            return folder == entry.inputFolder
        }
    }

    /// Moves the conversions whose outputs exist to `skipped`, as far as the options want that.
    mutating func skipExistingOutputs() {
        let all = entries
        entries = []
        for entry in all {
            if entry.isSkipped(options) { skipped.append(entry) } else { entries.append(entry) }
        }
    }
}

extension ConversionList.Entry {
    /// The folder of the input file.
    fileprivate var inputFolder: String? {
        if case .file(let path) = input { FilePath(path).folder } else { nil }
    }

    /// Whether the conversion is left out because its output exists.
    fileprivate func isSkipped(_ options: OutputOptions) -> Bool {
        guard options.existing != .replace, let output = existingOutput(options.selection) else { return false }
        guard options.existing != .skip else { return true }
        guard options.existing == .update || isFound, case .file(let path) = input else { return false }
        return !FileSystem.isNewer(path, than: output)
    }

    /// The path of the output, or of the first of several, if it exists.
    func existingOutput(_ selection: PictureSelection) -> String? {
        var outputs = [output]
        if let alternative, alternative.identity != input.identity { outputs.append(alternative) }
        if selection == .each {
            // The first number has as many digits as the last, which isn't known before the input is read.
            outputs += (1...6).map { output.numbered(String(repeating: "0", count: $0)) }
        }
        for case .file(let path) in outputs where FileSystem.isRegularFile(path) { return path }
        return nil
    }
}
