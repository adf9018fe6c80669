internal import ArgumentParser
internal import Tessera

/// The input and output of each conversion, determined before any work starts.
struct ConversionList {
    /// One conversion.
    struct Entry: Hashable, Sendable {
        let input: InputLocation
        let output: OutputLocation
        let format: ImageFormat
        /// The folder to create first if it is missing.
        var folder: String?
        /// The output if a PNG is written instead.
        var alternative: OutputLocation?
        /// Whether the input was found in a folder, not named.
        var isFound = false
        /// The box of this output, one of several of its input, and the size in pixels that it will have.
        var variant: Variant?
    }

    /// The size of one of an input's outputs.
    struct Variant: Hashable, Sendable {
        let bounds: SizeArgument
        let size: PixelSize
    }

    /// The conversions to do.
    var entries: [Entry] = []
    /// The conversions that are left out because of their outputs, which exist.
    var skipped: [Entry] = []
    private(set) var failures: [InputFailure] = []
    /// The formats that may be written, or would have been.
    var formats: Set<ImageFormat> {
        Set((entries + skipped).map(\.format) + (options.choosesSmallest ? [.png] : []))
    }

    /// The rules for outputs.
    let options: OutputOptions
    private let registry: CodecRegistry
    private let outputSize: @Sendable (InputLocation, SizeArgument?) throws(ImageError) -> PixelSize

    /// Interprets the names as described in the help.
    /// - Parameters:
    ///   - names: As on the command line; `-` is standard input or, as the last of two, standard output.
    ///   - options: The rules for outputs.
    ///   - outputSize: Returns the size in pixels that an input's output will have in a box, for names that contain it.
    /// - Throws: `ValidationError` for inconsistent names, `ImageError` for conflicting outputs.
    init(
        _ names: [String], options: OutputOptions, registry: CodecRegistry = .default,
        outputSize: @escaping @Sendable (InputLocation, SizeArgument?) throws(ImageError) -> PixelSize = { _, _ in
            PixelSize(width: 0, height: 0)
        }
    ) throws {
        self.registry = registry
        self.options = options
        self.outputSize = outputSize

        let format = options.format
        if options.replacesInputs {
            try addAll(names, to: nil)
        } else if let folder = options.folder {
            try addAll(names, to: folder)
        } else if names.count > 1, let last = names.last, last.hasSuffix("/") || FileSystem.isFolder(last) {
            try addAll(names.dropLast(), to: last)
        } else if options.template == nil, names.count == 2, !options.hasVariants,
            format == nil || names.contains("-") || Self.isOutput(names[1], of: format, registry)
        {
            try addPair(names[0], names[1])
        } else if format != nil || options.template != nil {
            try addAll(names, to: nil)
        } else if names.count > 2 {
            throw ValidationError(
                "with several inputs, the last name must be a folder, and \(names[names.count - 1]) isn't one; "
                    + "or use --output-dir or \(options.keepsFormat ? "--in-place" : "--to")")
        } else {
            throw ValidationError(
                "there is no output for \(names[0]): give an output, \(options.formatOption) or --output-dir FOLDER")
        }
        leaveOutEarlierOutputs()
        try checkOutputs()
        skipExistingOutputs()
    }

    /// Whether the second of two names is an output in `format`, not another input: it names that format, or no file.
    private static func isOutput(_ name: String, of format: ImageFormat?, _ registry: CodecRegistry) -> Bool {
        registry.format(forFilenameExtension: FilePath(name).filenameExtension) == format
            || FileSystem.identity(name) == nil
    }

    private mutating func addPair(_ first: String, _ last: String) throws {
        let (input, output) = (InputLocation(first), OutputLocation(last))
        if case .file(let path) = input, FileSystem.isFolder(path) {
            throw ValidationError(
                "\(path) is a folder; for the images in it, use \(options.formatOption) or --output-dir FOLDER")
        }
        // The input's format, which its bytes tell; the names may be anything.
        guard !options.keepsFormat else { return add(Entry(input: input, output: output, format: .jpeg)) }
        add(Entry(input: input, output: output, format: try options.format ?? Self.format(of: output, registry)))
    }

    /// Returns the format for the output's extension.
    static func format(of output: OutputLocation, _ registry: CodecRegistry) throws -> ImageFormat {
        guard case .file(let path) = output else {
            throw ValidationError("standard output has no extension that names a format; use --to FORMAT")
        }
        let name = FilePath(path).filenameExtension
        guard let format = registry.format(forFilenameExtension: name), registry.canEncode(format) else {
            let reason = name.isEmpty ? "has no extension that names a format" : "has the unknown extension \"\(name)\""
            throw ValidationError("\(path) \(reason); use --to FORMAT, or one of: \(FormatArgument.names(registry))")
        }
        return format
    }

    private mutating func addAll(_ names: some Collection<String>, to folder: String?) throws {
        for name in names {
            guard name != "-" else {
                guard folder == nil, names.count == 1, options.template == nil, !options.hasVariants,
                    let format = options.format
                else {
                    throw ValidationError("standard input has no name to call its output by; use `- OUTPUT` alone")
                }
                add(Entry(input: .standardInput, output: .standardOutput, format: format))
                return
            }
            if FileSystem.isFolder(name) {
                addFolder(name, to: folder)
            } else {
                addFile(name, to: folder)
            }
        }
    }

    private mutating func addFolder(_ folder: String, to target: String?) {
        let found = FolderPictures(in: folder, target: target, isRecursive: options.isRecursive, registry: registry)
        for picture in found.pictures { addFile(picture.path, to: picture.target, isFound: true) }
        failures += found.failures
    }

    private mutating func addFile(_ path: String, to folder: String?, isFound: Bool = false) {
        let file = FilePath(path)
        let own = registry.format(forFilenameExtension: file.filenameExtension)
        if !options.formats.isEmpty {
            addVariants(of: file, path, to: folder, formats: options.formats, isFound: isFound)
        } else if let own, registry.canEncode(own) {
            addVariants(of: file, path, to: folder, formats: [own], isFound: isFound)
        } else if options.keepsFormat {
            addVariants(of: file, path, to: folder, formats: [.jpeg], isFound: isFound)
        } else {
            let reason =
                options.replacesInputs
                ? "files in this format can't be written, and --in-place keeps the format"
                : "no format to write can be told from the name; use --to FORMAT"
            fail(path, ImageError(.invalidParameter, reason))
        }
    }

    /// Adds the outputs of a file: one for each size and format.
    private mutating func addVariants(
        of file: FilePath, _ path: String, to folder: String?, formats: [ImageFormat], isFound: Bool
    ) {
        do throws(ImageError) {
            for variant in try variants(of: path) {
                for format in formats {
                    let filenameExtension = options.formats.isEmpty ? file.filenameExtension : format.filenameExtension
                    var name = options.formats.isEmpty ? file.name : "\(file.stem).\(filenameExtension)"
                    if let template = options.template {
                        var size = variant?.size
                        if size == nil, template.needsSize { size = try outputSize(.file(path), nil) }
                        name = template.name(stem: file.stem, filenameExtension: filenameExtension, size: size)
                    }
                    let output = OutputLocation.file(FilePath(name, in: folder ?? file.folder).text)
                    add(
                        Entry(
                            input: .file(path), output: output, format: format, folder: folder, isFound: isFound,
                            variant: variant))
                }
            }
        } catch {
            fail(path, error)
        }
    }

    /// Returns the sizes of a file's outputs; nil for the one that the settings give it. Images aren't enlarged, so several
    /// boxes may give the same size, which counts once.
    private func variants(of path: String) throws(ImageError) -> [Variant?] {
        guard !options.sizes.isEmpty else { return [nil] }
        var variants: [Variant] = []
        for bounds in options.sizes {
            let variant = Variant(bounds: bounds, size: try outputSize(.file(path), bounds))
            if !variants.contains(where: { $0.size == variant.size }) { variants.append(variant) }
        }
        return variants
    }

    private mutating func fail(_ path: String, _ error: ImageError) {
        failures.append(InputFailure(input: .file(path), error: error))
    }

    private mutating func add(_ entry: Entry) {
        var entry = entry
        if options.choosesSmallest, case .file(let path) = entry.output {
            let name = "\(FilePath(path).stem).\(ImageFormat.png.filenameExtension)"
            entry.alternative = .file(FilePath(name, in: FilePath(path).folder).text)
        }
        entries.append(entry)
    }

    /// Checks that no two outputs have the same name, and that no output is another conversion's input.
    private func checkOutputs() throws(ImageError) {
        try Self.checkOutputs(entries.map { ($0.input, $0.output) })
        var readers: [FileSystem.Identity: InputLocation] = [:]
        for entry in entries {
            if let file = entry.input.identity { readers[file] = entry.input }
        }
        for entry in entries {
            for output in [entry.output, entry.alternative ?? entry.output] {
                guard let file = output.identity, let reader = readers[file], reader != entry.input else { continue }
                throw ImageError(
                    .invalidParameter, "\(output) is an input and \(entry.input)'s output; nothing was written")
            }
        }
    }
}

extension ConversionList {
    /// Reports that the folders have no images; returns whether that is so.
    func reportsNoInputs() -> Bool {
        guard entries.isEmpty, failures.isEmpty, skipped.isEmpty else { return false }
        StandardError.report("there are no images in these folders; --recursive looks deeper")
        return true
    }

    /// Checks that no two outputs have the same name.
    static func checkOutputs(_ pairs: [(input: InputLocation, output: OutputLocation)]) throws(ImageError) {
        var writers: [OutputLocation: InputLocation] = [:]
        for (input, output) in pairs {
            if let other = writers.updateValue(input, forKey: output) {
                throw ImageError(
                    .invalidParameter,
                    "\(other) and \(input) would both become \(output); nothing was written. Use different folders")
            }
        }
    }
}

/// An input that can't be read or written as requested, and the error.
struct InputFailure: Sendable {
    let input: InputLocation
    let error: ImageError
}
