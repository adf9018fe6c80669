internal import ArgumentParser

/// `tessera view`: pictures in a window, by another program, so that this one needs no display nor what draws on it.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Show pictures in a window: zoom, effects, animations.",
        discussion: """
            Runs the program tessera-view, which lies beside this one or in PATH. It is built with the trait GTK.

            A single file brings the other pictures of its folder along.

            EXAMPLES
              tessera view photo.jpg
              tessera view ~/Pictures
              tessera view https://example.org/photo.jpg
            """)

    @Argument(help: ArgumentHelp("What to show.", valueName: "file, folder or url"), completion: .file())
    var addresses: [String] = []

    mutating func run() throws {
        // Only comes back where it didn't begin.
        throw try SisterProgram("tessera-view").become(addresses)
    }
}
