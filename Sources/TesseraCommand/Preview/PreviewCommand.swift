internal import ArgumentParser
internal import Tessera

/// `tessera preview`: what a picture looks like while it arrives.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show what a picture looks like while it arrives: every preview, and the byte it became possible at.",
        discussion: """
            The file is read in pieces, as a slow network brings it. Whenever there is more to show (a scan of a \
            progressive JPEG, a pass of an interlaced PNG, an eighth of the rows of anything else, a frame of an \
            animation) a PNG is written, called after the file and the number of bytes that had arrived.

            EXAMPLES
              tessera preview photo.jpg --out previews
              tessera preview photo.jpg --out previews --sheet --chunk 1024
              tessera preview party.gif --out frames --size 200x200
            """)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Option(
        name: [.customLong("out"), .customShort("d")],
        help: ArgumentHelp("The folder to write to; it is made if need be.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("How many bytes arrive at a time.", valueName: "bytes"))
    var chunk = 4096

    @Option(help: ArgumentHelp("Make previews fit within this size.", valueName: "WxH"), transform: PixelSize.parse)
    var size: PixelSize?

    @Flag(help: "Also write NAME-sheet.png: all previews side by side, with a bar for the part that had arrived.")
    var sheet = false

    @Flag(name: .shortAndLong, help: "Replace files that exist.")
    var force = false

    @OptionGroup var limits: LimitsArguments

    func validate() throws {
        guard chunk > 0 else { throw ValidationError("--chunk must be at least 1") }
    }

    func run() throws {
        do throws(ImageError) {
            try preview()
        } catch {
            StandardError.report(error.message(about: InputLocation(file)))
            throw ExitCode.failure
        }
    }

    private func preview() throws(ImageError) {
        let bytes = try WholeFile.read(file)
        let name = file == "-" ? "preview" : FilePath(file).stem
        try FileSystem.makeFolder(folder)
        var table = TextTable(["file", "bytes", "of all", "shows"])
        var contact = ContactSheet()
        let arrival = Arrival(
            bytes, chunk: chunk, fitting: size, options: DecodingOptions(limits: limits.limits))
        let failure = try arrival.play { (preview) throws(ImageError) in
            let digits = "\(bytes.count)".count
            let number = String(repeating: "0", count: digits - "\(preview.byteCount)".count) + "\(preview.byteCount)"
            let path = FilePath("\(name)-\(number).png", in: folder).text
            try write(preview.bitmap, to: path)
            let share = Double(preview.byteCount) / Double(max(1, bytes.count))
            table.append([path, "\(preview.byteCount)", "\((share * 100).formatted(decimals: 1)) %", preview.name])
            if sheet { try contact.append(preview.bitmap, share: share) }
        }
        print(table)
        if sheet, let picture = try contact.makeBitmap() {
            try write(picture, to: FilePath("\(name)-sheet.png", in: folder).text)
        }
        if let failure { throw failure }
    }

    private func write(_ bitmap: Bitmap, to path: String) throws(ImageError) {
        let output = try EncodedOutput(.file(path), overwrites: force)
        try ImageDestination(format: .png).encode(bitmap, to: output)
        try output.commit()
    }
}
