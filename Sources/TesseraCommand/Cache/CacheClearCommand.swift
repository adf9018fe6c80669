internal import ArgumentParser
internal import ImageLoading

/// `tessera cache clear`: empties a cache.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove the entries of a cache, all or old ones.",
        discussion: """
            Files that aren't the cache's stay, and so does the folder. Nothing is asked.

            EXAMPLES
              tessera cache clear ~/.cache/gallery
              tessera cache clear ~/.cache/gallery --older-than 7d
            """)

    @OptionGroup var location: CacheLocation

    @Option(
        help: ArgumentHelp(
            "Only those that were stored, or last confirmed by their server, this long ago: 90s, 15m, 12h or 7d.",
            valueName: "age"),
        transform: TimeSpan.parse)
    var olderThan: TimeSpan?

    func run() throws {
        let removed = try location.folder().clear(olderThan: olderThan?.seconds ?? 0)
        print(
            "removed \(removed.entryCount) \(removed.entryCount == 1 ? "entry" : "entries"), \(ByteCount(removed.byteCount))"
        )
    }
}
