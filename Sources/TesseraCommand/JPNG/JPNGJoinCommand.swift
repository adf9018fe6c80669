internal import ArgumentParser
internal import JPNGContainer
internal import Tessera

/// `tessera jpng join`: a JPNG of two files.
struct JPNGJoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Make a JPNG of a JPEG and a mask.",
        discussion: """
            The mask is a grey PNG (version 1) or a grey JPEG (version 2): black is transparent, white opaque. Nothing \
            is decoded or encoded: the parts go in byte for byte.
            """)

    @Argument(help: "The colours, a JPEG.", completion: .file(extensions: ["jpg", "jpeg"]))
    var color: String

    @Argument(help: "The mask, a PNG or JPEG.", completion: .file(extensions: ["png", "jpg", "jpeg"]))
    var mask: String

    @Argument(help: "The JPNG to write.")
    var output: String

    @Flag(name: .shortAndLong, help: "Replace the output if it exists.")
    var force = false

    func run() throws {
        let (colorBytes, maskBytes) = (try WholeFile.read(color), try WholeFile.read(mask))
        let joined: [UInt8]
        do {
            guard try JPNGContainer.find(in: colorBytes.span.bytes) == nil else {
                throw CommandFailure("\(color) is a JPNG already; `tessera jpng split` takes it apart")
            }
            joined = try JPNGContainer.join(color: colorBytes.span.bytes, mask: maskBytes.span.bytes)
        } catch let error as JPNGError {
            let file = error.code == .invalidMaskPart ? mask : color
            throw CommandFailure("\(file): \(error)")
        }
        let (colorSize, maskSize) = (
            try JPNGPart.header(colorBytes, name: color).size, try JPNGPart.header(maskBytes, name: mask).size
        )
        if colorSize != maskSize {
            StandardError.note("the mask is \(maskSize), the picture \(colorSize): readers will scale the mask")
        }
        let file = try AtomicFile(path: output, overwrites: force)
        try file.write(joined)
        try file.commit()
    }
}
