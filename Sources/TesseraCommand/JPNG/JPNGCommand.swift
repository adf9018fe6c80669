internal import ArgumentParser

/// `tessera jpng`: the container by itself.
struct JPNGCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jpng",
        abstract: "Take JPNG files apart, put them together and check them.",
        discussion: """
            EXAMPLES
              tessera jpng split cutout.jpng             makes cutout.jpg and cutout-mask.png
              tessera jpng join cutout.jpg cutout-mask.png again.jpng
              tessera jpng verify *.jpng
            """,
        subcommands: [JPNGSplitCommand.self, JPNGJoinCommand.self, JPNGVerifyCommand.self])
}
