internal import ArgumentParser
internal import JPNGContainer
internal import ImageFormats
internal import Tessera

/// `tessera jpng`: works on the JPNG container.
struct JPNGCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jpng",
        abstract: "Split, join and verify JPNG files.",
        discussion: """
            EXAMPLES
              tessera jpng split cutout.jpng             makes cutout.jpg and cutout-mask.png
              tessera jpng join cutout.jpg cutout-mask.png again.jpng
              tessera jpng verify *.jpng
              tessera jpng tag *.jpng --in-place
            """,
        subcommands: [
            JPNGSplitCommand.self, JPNGJoinCommand.self, JPNGVerifyCommand.self, JPNGTagCommand.self,
        ])
}

/// `tessera jpng split`: writes the two parts of a JPNG to files, byte for byte.
struct JPNGSplitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Write the two parts of a JPNG, the colour JPEG and the mask, to separate files.",
        discussion: """
            Nothing is decoded: the parts come out byte for byte, except for the tag, which only a JPNG has; `join` \
            puts it back. By default they go beside the input: of cutout.jpng the parts are cutout.jpg and \
            cutout-mask.png, or cutout-mask.jpg in version 2.
            """)

    @Argument(help: "The JPNG.", completion: .file(extensions: ["jpng"]))
    var file: String

    @Argument(help: "The output for the colours, a JPEG.", completion: .file())
    var color: String?

    @Argument(help: "The output for the mask.", completion: .file())
    var mask: String?

    @Flag(name: .shortAndLong, help: "Replace existing files.")
    var force = false

    @OptionGroup var report: ReportArguments

    func run() throws {
        var bytes = try InputLocation(file).open().bytes()
        let container: JPNGContainer
        do {
            bytes = try JPNGContainer.untagging(bytes.span.bytes) ?? bytes
            container = try JPNGContainer(verifying: bytes.span.bytes)
        } catch {
            throw CommandFailure("\(file): \(error)")
        }
        let path = FilePath(file)
        let maskExtension = container.maskKind == .png ? "png" : "jpg"
        // Both are opened before either is written, so that a name already in use leaves nothing behind.
        let colorPath = color ?? FilePath("\(path.stem).jpg", in: path.folder).text
        let maskPath = mask ?? FilePath("\(path.stem)-mask.\(maskExtension)", in: path.folder).text
        let colorFile = try AtomicFile(path: colorPath, overwrites: force)
        let maskFile = try AtomicFile(path: maskPath, overwrites: force)
        try colorFile.write(container.color(of: bytes.span.bytes))
        try maskFile.write(container.mask(of: bytes.span.bytes))
        try colorFile.commit()
        try maskFile.commit()
        report.record(
            [("input", .string(file)), ("color", .string(colorPath)), ("mask", .string(maskPath))],
            "\(file) -> \(colorPath), \(maskPath)")
    }
}

/// `tessera jpng join`: makes a JPNG from two files.
struct JPNGJoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a JPEG and a mask to a JPNG.",
        discussion: """
            The mask is a grey PNG (version 1) or a grey JPEG (version 2): black is transparent, white opaque. Nothing \
            is decoded or encoded: the parts go in byte for byte, with a tag by which desktops tell JPNG from JPEG.
            """)

    @Argument(help: "The colours, a JPEG.", completion: .file(extensions: ["jpg", "jpeg"]))
    var color: String

    @Argument(help: "The mask, a PNG or JPEG.", completion: .file(extensions: ["png", "jpg", "jpeg"]))
    var mask: String

    @Argument(help: "The JPNG to write.", completion: .file())
    var output: String

    @Flag(name: .customLong("no-tag"), help: "Add no tag to the colours.")
    var isUntagged = false

    @Flag(name: .shortAndLong, help: "Replace an existing output.")
    var force = false

    @OptionGroup var report: ReportArguments

    func run() throws {
        let (colorBytes, maskBytes) = (
            try InputLocation(color).open().bytes(), try InputLocation(mask).open().bytes()
        )
        let joined: [UInt8]
        do {
            guard try JPNGContainer.find(in: colorBytes.span.bytes) == nil else {
                throw CommandFailure("\(color) is a JPNG already; `tessera jpng split` takes it apart")
            }
            joined = try JPNGContainer.join(
                color: colorBytes.span.bytes, mask: maskBytes.span.bytes, isTagged: !isUntagged)
        } catch let error as JPNGError {
            let file = error.code == .invalidMaskPart ? mask : color
            throw CommandFailure("\(file): \(error)")
        }
        let (colorSize, maskSize) = (
            try JPNGPart.header(colorBytes, name: color).size, try JPNGPart.header(maskBytes, name: mask).size
        )
        if colorSize != maskSize, !report.quiet {
            StandardError.note("the mask is \(maskSize), the picture \(colorSize): readers will scale the mask")
        }
        try FileSystem.write(joined, to: output, overwrites: force)
        report.record(
            [
                ("color", .string(color)), ("mask", .string(mask)), ("output", .string(output)),
                ("outputBytes", .integer(joined.count)),
            ], "\(color), \(mask) -> \(output): \(ByteCount(joined.count))")
    }
}

/// `tessera jpng verify`: checks JPNG files.
struct JPNGVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify JPNG files: footer, layout, and that both parts decode completely.",
        discussion: """
            Prints a line for each file, with each fault and its byte offset. The exit status is 1 if there is any. \
            Files that are unusual but readable (another identifier, no tag, a mask of another size, unused bytes) get a \
            note, which isn't an error.
            """)

    @Argument(help: "The files.", completion: .file(extensions: ["jpng"]))
    var files: [String]

    @OptionGroup var report: ReportArguments

    func run() throws {
        var failed = false
        for file in files {
            do throws(ImageError) {
                let bytes = try InputLocation(file).open().bytes()
                let found = JPNGReport(bytes)
                let problem = found.problem.map { "\($0)" }
                report.record(
                    [
                        ("file", .string(file)), ("problem", problem.map { .string($0) } ?? .null),
                        ("notes", .array(found.notes.map { .string("\($0)") })),
                    ], "\(file): \(ByteCount(bytes.count))")
                for note in found.notes { report.printResult("\(file): note: \(note)") }
                if let problem {
                    if !report.json { print("\(file): wrong: \(problem)") }
                    failed = true
                } else {
                    report.printResult("\(file): ok")
                }
            } catch {
                report.printFailure(error, of: InputLocation(file))
                failed = true
            }
        }
        if failed { throw ExitCode.failure }
    }
}

/// Reads the parts of a JPNG as separate images.
private enum JPNGPart {
    /// Reads the header of a part. `name` is used in the error.
    static func header(_ bytes: [UInt8], name: String) throws -> ImageHeader {
        do throws(ImageError) {
            return try ImageSource.header(of: bytes, registry: JPNGReport.partRegistry)
        } catch {
            throw CommandFailure("\(name): \(error)")
        }
    }
}
