internal import ArgumentParser

/// `tessera tile`: pyramids of tiles from pictures, and what is in them.
struct TileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tile",
        abstract:
            "Divide pictures into pyramids of tiles for viewers that zoom; describe, check and read such pyramids.",
        discussion: """
            EXAMPLES
              tessera tile scan.tif scan.pyramid
              tessera tile photo.jpg site/photo --layout deepzoom --overlap 1
              tessera tile info site/photo.dzi
              tessera tile verify scan.pyramid
              tessera tile extract scan.pyramid site/scan --layout iiif3

            `tessera tile help make` has all options for making them.
            """,
        subcommands: [TileMakeCommand.self, TileInfoCommand.self, TileVerifyCommand.self, TileExtractCommand.self],
        defaultSubcommand: TileMakeCommand.self)
}
