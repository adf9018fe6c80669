internal import ArgumentParser
internal import ImagePyramid
internal import Tessera

/// `tessera tile info`: what a pyramid is.
struct TileInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Tell what a pyramid is: its layout, size, tiles and levels.",
        discussion: """
            A pyramid is a packed file, a tree (its folder, or Deep Zoom's document), an archive of a tree, or a TIFF of \
            JPEG tiles.

            EXAMPLES
              tessera tile info scan.pyramid
              tessera tile info site/photo.dzi --json
            """)

    @Argument(help: ArgumentHelp("Pyramids.", valueName: "pyramid"))
    var paths: [String]

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        var descriptions: [PyramidDescription] = []
        var failed = false
        for path in paths {
            do throws(ImageError) {
                descriptions.append(PyramidDescription(path, try StoredPyramids.open(path: path)))
            } catch {
                StandardError.report(error.message(about: .file(path)))
                failed = true
            }
        }
        if json {
            print(JSONValue.array(descriptions.map(\.json)).text())
        } else if !descriptions.isEmpty {
            print(descriptions.map(\.text).joined(separator: "\n\n"))
        }
        if failed { throw ExitCode.failure }
    }
}
