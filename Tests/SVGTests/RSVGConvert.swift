import ImageFormatsTestSupport
import Raster
import TestSupport

/// librsvg's own program, as an independent word on what a document's picture is.
enum RSVGConvert {
    static let tool = CommandLineTool("rsvg-convert")

    /// What `rsvg-convert` draws; nil when it refuses.
    static func draw(_ document: [UInt8], arguments: [String] = []) throws -> (size: PixelSize, samples: [UInt16])? {
        let folder = try TemporaryFolder()
        let input = try folder.write(document, to: "document.svg")
        guard try tool.run(arguments + ["-o", folder.file("picture.png"), input]) else { return nil }
        return LibPNG.decode(try folder.read("picture.png"))
    }
}
