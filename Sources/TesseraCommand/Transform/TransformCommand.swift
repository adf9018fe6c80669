internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera transform`: rotates, mirrors and crops JPEGs without loss.
struct TransformCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "transform",
        abstract: "Rotate, mirror and crop JPEGs without any loss of quality.",
        usage: """
            tessera transform INPUT OUTPUT [--rotate DEGREES] [--flip AXIS] [--crop X,Y,W,H] [options]
            tessera transform INPUT ... FOLDER [options]
            tessera transform INPUT ... --in-place [options]
            """,
        discussion: """
            The coefficients of the JPEG are moved; no pixel is decoded and compressed again. The result is stored \
            upright: the orientation in EXIF is applied first, and it is all that happens without other options. The \
            thumbnail and the dimensions in EXIF are updated, and all other metadata is kept.

            Coefficients belong to blocks of 8 or 16 pixels a side. A crop begins on a block: its corner moves left and \
            up by at most 15 pixels. Where the right or lower edge cuts through blocks, these can't be moved to the \
            other side; --edges selects whether they stay (as they do with jpegtran), are trimmed, or the image is \
            refused.

            Files in other formats are refused: `tessera effect` rotates and crops these, and `tessera convert` writes \
            other formats.

            EXAMPLES
              tessera transform photo.jpg upright.jpg
              tessera transform photo.jpg turned.jpg --rotate 90
              tessera transform photo.jpg mirrored.jpg --flip horizontal --edges trim
              tessera transform photo.jpg part.jpg --crop 320,160,1280,960
              tessera transform holiday --recursive --in-place
              tessera transform *.jpg --output-dir web --progressive
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Turn clockwise: 90, 180, 270, or -90.", valueName: "degrees"))
    var rotate = 0

    @Option(help: ArgumentHelp("Then mirror: horizontal (left and right) or vertical.", valueName: "axis"))
    var flip: Axis?

    @Option(
        help: ArgumentHelp("Then keep this part, in pixels of the turned image.", valueName: "x,y,width,height"),
        transform: PixelRect.parse)
    var crop: PixelRect?

    @Option(
        help: ArgumentHelp(
            "Incomplete blocks at an edge: keep them there, trim them, or refuse the image. Default: keep.",
            valueName: "what"),
        completion: Choice.completion(of: JPEGTransformation.Edges.self), transform: Choice.parse)
    var edges = JPEGTransformation.Edges.keep

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Write a progressive JPEG. Default: as the input.")
    var progressive: Bool?

    @OptionGroup var files: FileArguments

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    /// The axis of `--flip`.
    enum Axis: String, ExpressibleByArgument, CaseIterable {
        case horizontal, vertical
    }

    func validate() throws {
        guard [0, 90, 180, 270, -90, -180, -270].contains(rotate) else {
            throw ValidationError(
                "--rotate is 90, 180, 270 or -90, not \(rotate); `tessera effect --rotate` turns by any angle")
        }
    }

    func run() async throws {
        let turn: Orientation =
            switch (rotate + 360) % 360 {
            case 90: .right
            case 180: .down
            case 270: .left
            default: .up
            }
        let mirror: Orientation = flip == .horizontal ? .upMirrored : flip == .vertical ? .downMirrored : .up
        let transformation = JPEGTransformation(
            orientation: turn.followed(by: mirror), region: crop, edges: edges, isProgressive: progressive)
        try await RewriteBatch(
            names, files: files, report: report, limits: limits.limits, codecs: [JPEGCodec()],
            rewrite: LosslessTransform(transformation: transformation, limits: limits.limits)
        ).run()
    }
}

/// The work of `transform` on one file.
struct LosslessTransform: FileRewrite {
    let transformation: JPEGTransformation
    let limits: DecodingLimits

    var verb: String { "transformed" }

    func applied(to file: [UInt8], outputName name: String?) throws(ImageError) -> RewrittenFile {
        let format = try ImageSource.header(of: file, options: DecodingOptions(color: .asStored, limits: limits)).format
        guard format == .jpeg else {
            throw ImageError(
                .unsupported,
                "transform moves a JPEG's coefficients, and this is a \(format.name); `tessera effect` has --rotate, "
                    + "--flip and --crop for it, and `tessera convert` writes other formats")
        }
        try ImageFormat.jpeg.checkName(name)
        let result = try transformation.applied(to: file, limits: limits)
        var notes: [String] = []
        if let wanted = transformation.region, wanted != result.region {
            notes.append(
                "the part kept is \(result.region.size) at \(result.region.x),\(result.region.y), on whole blocks")
        }
        if result.dropsPictures { notes.append("further images in the file, such as a gain map, are left out") }
        return RewrittenFile(
            bytes: result.bytes == file ? nil : result.bytes, note: notes.isEmpty ? nil : notes.joined(separator: "; "),
            json: [("width", .integer(result.region.width)), ("height", .integer(result.region.height))])
    }
}

extension ImageFormat {
    /// Checks that a file in this format may have a name: an extension of another format would mislead.
    func checkName(_ path: String?) throws(ImageError) {
        guard let path,
            let other = CodecRegistry.default.format(forFilenameExtension: FilePath(path).filenameExtension),
            other != self
        else { return }
        throw ImageError(
            .invalidParameter,
            "\(path) would be a \(name), which its extension denies; `tessera convert` writes other formats")
    }
}

extension PixelRect {
    /// Parses a rectangle: `x,y,width,height` in pixels.
    static func parse(_ argument: String) throws -> PixelRect {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard numbers.count == 4, argument.count(where: { $0 == "," }) == 3, numbers[0] >= 0, numbers[1] >= 0,
            numbers[2] > 0, numbers[3] > 0
        else { throw ValidationError("write left, top, width and height in pixels, as in 320,160,1280,960") }
        return PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}
