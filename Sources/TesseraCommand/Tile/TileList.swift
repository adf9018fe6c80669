internal import ArgumentParser
internal import Tessera

/// Which picture becomes which pyramid.
struct TileList {
    /// One picture's way.
    struct Entry: Hashable, Sendable {
        let input: InputLocation
        /// The path as it was given, or would be.
        let output: String
        let layout: PyramidLayout
        let isZipped: Bool
        /// The folder to make first, where the output's may be missing.
        var folder: String?
    }

    /// An input that can't be read, and why.
    struct Failure: Sendable {
        let input: InputLocation
        let error: ImageError
    }

    private(set) var entries: [Entry] = []
    private(set) var failures: [Failure] = []

    /// Reads the names as the help says.
    /// - Throws: `ValidationError` for names and options that make no sense together.
    init(_ names: [String], settings: TileSettings, isRecursive: Bool, registry: CodecRegistry = .default) throws {
        guard let last = names.last else { throw ValidationError("say what to divide") }
        guard last != "-" else {
            throw ValidationError("tiles don't come in order, so that they can't go to standard output; name a file")
        }
        let inputs = names.dropLast()
        if inputs.count == 1, !last.hasSuffix("/"), inputs[0] == "-" || !FileSystem.isFolder(inputs[0]) {
            try add(InputLocation(inputs[0]), last, folder: nil, settings)
            return
        }
        guard !FileSystem.isRegularFile(last) else {
            throw ValidationError("with several inputs, the last name must be a folder, and \(last) is a file")
        }
        guard !inputs.contains("-") else {
            throw ValidationError("standard input has no name to call its output by; use `- OUTPUT` alone")
        }
        for name in inputs {
            if FileSystem.isFolder(name) {
                try addFolder(name, to: last, settings, isRecursive, registry)
            } else {
                try addFile(name, to: last, settings)
            }
        }
        var writers: [String: InputLocation] = [:]
        for entry in entries {
            if let other = writers.updateValue(entry.input, forKey: entry.output) {
                throw ImageError(
                    .invalidParameter, "\(other) and \(entry.input) would both become \(entry.output); nothing was done"
                )
            }
        }
    }

    /// The way of one input, be it a folder, to `output`.
    /// - Throws: `ValidationError` for an output and options that make no sense together.
    init(_ input: InputLocation, to output: String, settings: TileSettings) throws {
        try add(input, output, folder: nil, settings)
    }

    /// Adds what is in a folder and looks like a picture.
    private mutating func addFolder(
        _ folder: String, to target: String, _ settings: TileSettings, _ isRecursive: Bool, _ registry: CodecRegistry
    ) throws {
        let names: [String]
        do throws(ImageError) {
            names = try FileSystem.names(in: folder)
        } catch {
            return failures.append(Failure(input: .file(folder), error: error))
        }
        for name in names {
            let path = FilePath(name, in: folder).text
            if FileSystem.isFolder(path) {
                // What was written there by an earlier run isn't an input.
                guard isRecursive, FileSystem.identity(target) != FileSystem.identity(path) else { continue }
                try addFolder(path, to: FilePath(name, in: target).text, settings, true, registry)
            } else if let known = registry.format(forFilenameExtension: FilePath(name).filenameExtension),
                registry.canDecode(known)
            {
                try addFile(path, to: target, settings)
            }
        }
    }

    private mutating func addFile(_ path: String, to folder: String, _ settings: TileSettings) throws {
        let layout = settings.layout ?? .deepzoom
        let ending =
            switch layout {
            case .packed: ".pyramid"
            case .tiff: ".tif"
            default: settings.isZipped ? ".zip" : ""
            }
        try add(
            .file(path), FilePath(FilePath(path).stem + ending, in: folder).text, folder: folder, settings)
    }

    private mutating func add(
        _ input: InputLocation, _ output: String, folder: String?, _ settings: TileSettings
    ) throws {
        var settings = settings
        let ending = FilePath(output).filenameExtension.lowercased()
        let layout = settings.layout ?? PyramidLayout(filenameExtension: ending) ?? .deepzoom
        let isArchive = ending == "zip" || ending == "szi"
        if ending == "szi", layout != .deepzoom {
            throw ValidationError("a file called .szi holds deepzoom, not \(layout.rawValue)")
        }
        if isArchive, layout.tree != nil { settings.isZipped = true }
        if let obstacle = layout.obstacle(settings) { throw ValidationError(obstacle) }
        var path = output
        if settings.isZipped, !isArchive { path += ".zip" }
        if layout == .deepzoom, !settings.isZipped, ending == "dzi" { path.removeLast(4) }
        entries.append(
            Entry(input: input, output: path, layout: layout, isZipped: settings.isZipped, folder: folder))
    }
}
