internal import ArgumentParser
internal import Platform
internal import Tessera

extension BatchArguments {
    /// Converts the pictures in folders, and from then on those that appear or change there, until SIGINT or SIGTERM.
    ///
    /// A file that was written within the last half second may be incomplete, and waits.
    /// - Parameter first: The conversions at the start.
    func watch(
        _ first: ConversionList, _ names: [String], _ settings: ConversionSettings, sizes: [SizeArgument],
        formats: FormatOptionArguments
    ) async throws {
        let last = names[names.count - 1]
        let hasTarget = files.outputDir == nil && names.count > 1 && (last.hasSuffix("/") || FileSystem.isFolder(last))
        let folders = hasTarget ? names.dropLast() : names[...]
        guard folders.allSatisfy(FileSystem.isFolder) else {
            throw ValidationError("--watch watches folders, and not all inputs are folders")
        }
        let watches = try folders.map { try FolderWatch(path: $0, isRecursive: files.recursive) }
        var failed: [InputLocation: FileTime] = [:]
        var next: ConversionList? = first
        while !Task.isCancelled {
            var list = try next ?? self.list(names, settings, sizes: sizes)
            next = nil
            try formats.check(outputs: list.formats)
            if settings.encoding.isLossless { try list.checkLossless() }
            list.entries.removeAll { entry in
                failed[entry.input].map { $0 == entry.input.modificationTime } ?? false
            }
            let isWaiting = list.removeFilesInUse()
            if !list.entries.isEmpty {
                let batch = ConversionBatch(list: list, settings: settings, report: report)
                _ = await batch.run(jobs: files.jobCount)
                for entry in list.entries where !entry.isUpToDate(settings.selection) {
                    failed[entry.input] = entry.input.modificationTime
                }
            }
            repeat {
                try? await Task.sleep(for: .milliseconds(250))
            } while !Task.isCancelled && !isWaiting && watches.count(where: { $0.hasChanged() }) == 0
        }
    }
}

extension ConversionList {
    /// Removes the conversions of files that were changed within the last half second.
    /// - Returns: Whether there were any.
    fileprivate mutating func removeFilesInUse() -> Bool {
        let count = entries.count
        let now = FileTime.now.nanosecondsSince1970
        entries.removeAll { entry in
            // Times that lie in the future say nothing.
            entry.input.modificationTime.map { 0..<500_000_000 ~= now &- $0.nanosecondsSince1970 } ?? false
        }
        return entries.count < count
    }
}

extension InputLocation {
    /// The time of the file's last change; nil if there is none.
    fileprivate var modificationTime: FileTime? {
        if case .file(let path) = self { FileStatus(path: path)?.modificationTime } else { nil }
    }
}

extension ConversionList.Entry {
    /// Whether the output exists and is as new as the input.
    fileprivate func isUpToDate(_ selection: PictureSelection) -> Bool {
        guard case .file(let path) = input, let output = existingOutput(selection) else { return false }
        return !FileSystem.isNewer(path, than: output)
    }
}
