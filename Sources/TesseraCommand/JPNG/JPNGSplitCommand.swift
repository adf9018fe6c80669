internal import ArgumentParser
internal import JPNGContainer
internal import Tessera

/// `tessera jpng split`: the two parts of a JPNG as files, byte for byte.
struct JPNGSplitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Write the two parts of a JPNG, the colour JPEG and the mask, to files of their own.",
        discussion: """
            Nothing is decoded: the parts come out byte for byte. By default they go beside the input: of cutout.jpng \
            the parts are cutout.jpg and cutout-mask.png, or cutout-mask.jpg in version 2.
            """)

    @Argument(help: "The JPNG.", completion: .file(extensions: ["jpng"]))
    var file: String

    @Argument(help: "Where the colour part goes.")
    var color: String?

    @Argument(help: "Where the mask goes.")
    var mask: String?

    @Flag(name: .shortAndLong, help: "Replace files that exist.")
    var force = false

    func run() throws {
        let bytes = try WholeFile.read(file)
        let container: JPNGContainer
        do {
            container = try JPNGContainer(verifying: bytes.span.bytes)
        } catch {
            throw CommandFailure("\(file): \(error)")
        }
        let path = FilePath(file)
        let maskExtension = container.maskKind == .png ? "png" : "jpg"
        // Both are opened before either is written, so that a name that is taken leaves nothing behind.
        let colorFile = try AtomicFile(
            path: color ?? FilePath("\(path.stem).jpg", in: path.folder).text, overwrites: force)
        let maskFile = try AtomicFile(
            path: mask ?? FilePath("\(path.stem)-mask.\(maskExtension)", in: path.folder).text, overwrites: force)
        try colorFile.write(container.color(of: bytes.span.bytes))
        try maskFile.write(container.mask(of: bytes.span.bytes))
        try colorFile.commit()
        try maskFile.commit()
    }
}
