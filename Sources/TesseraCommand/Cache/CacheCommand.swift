internal import ArgumentParser

/// `tessera cache`: what lies in a folder that pictures are cached in.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Describe, check and empty a folder that pictures are cached in.",
        discussion: """
            The folder may be in use meanwhile, by any number of programs.

            EXAMPLES
              tessera cache info ~/.cache/gallery
              tessera cache verify ~/.cache/gallery --remove
              tessera cache clear ~/.cache/gallery --older-than 7d
            """,
        subcommands: [CacheInfoCommand.self, CacheVerifyCommand.self, CacheClearCommand.self])
}
