internal import ArgumentParser
internal import ImageFormats
internal import Raster
internal import Tessera

/// `tessera preview`: writes the previews of an image while its bytes arrive.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a picture's previews while it loads, and the byte at which each appears.",
        discussion: """
            Reads the file in pieces, as from a slow network. Whenever there is more to show (a scan of a progressive \
            JPEG, a pass of an interlaced PNG, an eighth of the rows of other formats, a frame of an animation), a PNG \
            is written, named after the file and the number of bytes read.

            EXAMPLES
              tessera preview photo.jpg --out previews
              tessera preview photo.jpg --out previews --sheet --chunk 1024
              tessera preview party.gif --out frames --size 200x200
            """)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Option(
        name: [.customLong("out"), .customLong("output-dir"), .customShort("d"), .customShort("o")],
        help: ArgumentHelp("Write to this folder, which is created if needed.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("Bytes per read.", valueName: "bytes"))
    var chunk = 4096

    @Option(
        help: ArgumentHelp("Make previews fit within this size.", valueName: SizeArgument.valueName),
        transform: SizeArgument.parse)
    var size: SizeArgument?

    @Flag(help: "Also write NAME-sheet.png: all previews side by side, each with a progress bar.")
    var sheet = false

    @Flag(name: .shortAndLong, help: "Replace existing files.")
    var force = false

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    func validate() throws {
        guard chunk > 0 else { throw ValidationError("--chunk must be at least 1, not \(chunk)") }
    }

    func run() throws {
        do throws(ImageError) {
            try preview()
        } catch {
            report.printFailure(error, of: InputLocation(file))
            throw ExitCode.failure
        }
    }

    private func preview() throws(ImageError) {
        let bytes = try InputLocation(file).open().bytes()
        let name = file == "-" ? "preview" : FilePath(file).stem
        try FileSystem.makeFolder(folder)
        var table = TextTable(["file", "bytes", "of all", "shows"])
        var contact = ContactSheet()
        var last: String?
        let previews = ProgressivePreviews(
            bytes: bytes, chunk: chunk, bounds: size, options: DecodingOptions(limits: limits.limits))
        let failure = try previews.play { (preview) throws(ImageError) in
            let digits = "\(bytes.count)".count
            let number = String(repeating: "0", count: digits - "\(preview.byteCount)".count) + "\(preview.byteCount)"
            let path = FilePath("\(name)-\(number).png", in: folder).text
            // Several previews may appear at one byte, such as the last rows and then the whole.
            try EncodedOutput.write(preview.bitmap, toPNG: path, overwrites: force || path == last)
            last = path
            let share = Double(preview.byteCount) / Double(max(1, bytes.count))
            report.record(
                [
                    ("output", .string(path)), ("bytes", .integer(preview.byteCount)), ("share", JSONValue(share)),
                    ("shows", .string(preview.name)),
                ], "\(path): \(preview.bitmap.size)")
            table.append([path, "\(preview.byteCount)", "\((share * 100).formatted(decimals: 1)) %", preview.name])
            if sheet { try contact.append(preview.bitmap, share: share) }
        }
        report.printResult(table.description)
        if sheet, let picture = try contact.makeBitmap() {
            try EncodedOutput.write(picture, toPNG: FilePath("\(name)-sheet.png", in: folder).text, overwrites: force)
        }
        if let failure { throw failure }
    }
}

/// Images side by side on grey, each with a bar below it for the share of bytes that had arrived.
struct ContactSheet {
    private static let cellSide = 200
    private static let margin = 12
    private static let barHeight = 6
    private static let columnCount = 5
    private static let paper = RGBA8(128, 128, 128)

    private var cells: [(picture: Bitmap, share: Double)] = []

    /// Adds an image, reduced to a cell, and a bar of relative length `share`, 0 to 1.
    mutating func append(_ bitmap: Bitmap, share: Double) throws(ImageError) {
        let box = PixelSize(width: Self.cellSide, height: Self.cellSide)
        let small = try bitmap.resampled(to: bitmap.size.fitted(within: box))
        cells.append((try small.converted(to: .rgba8, alpha: AlphaMode.none, background: Self.paper), share))
    }

    /// Draws the sheet; nil if it is empty.
    func makeBitmap() throws(ImageError) -> Bitmap? {
        guard !cells.isEmpty else { return nil }
        let columns = min(Self.columnCount, cells.count)
        let rowCount = (cells.count + columns - 1) / columns
        let stepX = Self.cellSide + Self.margin
        let stepY = Self.cellSide + Self.barHeight + 2 * Self.margin
        let size = PixelSize(width: columns * stepX + Self.margin, height: rowCount * stepY + Self.margin)
        var sheet = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
        var rows = sheet.mutableRows
        rows.fill(PixelRect(size), with: Self.paper)
        for (index, cell) in cells.enumerated() {
            let x = Self.margin + index % columns * stepX
            let y = Self.margin + index / columns * stepY
            rows.draw(
                cell.picture.rows, x: x + (Self.cellSide - cell.picture.width) / 2,
                y: y + Self.cellSide - cell.picture.height)
            let bar = PixelRect(x: x, y: y + Self.cellSide + 4, width: Self.cellSide, height: Self.barHeight)
            rows.fill(bar, with: RGBA8(96, 96, 96))
            var filled = bar
            filled.width = Int(Double(bar.width) * min(1, max(0, cell.share)))
            rows.fill(filled, with: RGBA8(255, 255, 255))
        }
        return sheet.freeze()
    }

}

extension MutablePixelRows {
    /// Fills `rect` with one colour.
    mutating func fill(_ rect: PixelRect, with pixel: RGBA8) {
        for y in rect.y..<(rect.y + rect.height) {
            var row = row(y, as: RGBA8.self)
            for x in rect.x..<(rect.x + rect.width) { row[x] = pixel }
        }
    }
}
