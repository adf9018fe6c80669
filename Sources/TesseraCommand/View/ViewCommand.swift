internal import ArgumentParser

/// `tessera view`: shows images in a window, by a separate program, so that this one doesn't depend on a display or
/// GTK.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Show pictures in a window: zoom, effects, animations.",
        discussion: """
            Runs the program tessera-view, which lies beside this one or in PATH. It is built with the trait GTK.

            A single file brings the other pictures of its folder along.

            EXAMPLES
              tessera view photo.jpg
              tessera view -r ~/Pictures
              tessera view https://example.org/photo.jpg
            """)

    @Argument(help: ArgumentHelp("Pictures to show.", valueName: "file, folder or url"), completion: .file())
    var addresses: [String] = []

    @Flag(name: [.customShort("r"), .customLong("recursive")], help: "Show the pictures in subfolders too.")
    var isRecursive = false

    mutating func run() throws {
        // Returns only if the program couldn't be started. Names may begin with a dash.
        throw try SisterProgram("tessera-view").become((isRecursive ? ["-r"] : []) + ["--"] + addresses)
    }
}
