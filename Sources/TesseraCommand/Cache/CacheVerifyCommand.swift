internal import ArgumentParser
internal import ImageLoading

/// `tessera cache verify`: whether a cache's entries are whole.
struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every entry of a cache, to its last byte.",
        discussion: """
            Prints a line for each entry that is damaged, with what is wrong at which byte. The exit status is 1 if \
            one is, also when it was removed. A program that uses the cache takes none of them for whole, and removes \
            them when it meets them.

            EXAMPLES
              tessera cache verify ~/.cache/gallery
              tessera cache verify ~/.cache/gallery --remove
            """)

    @OptionGroup var location: CacheLocation

    @Flag(help: "Remove damaged entries.")
    var remove = false

    func run() throws {
        let outcome = try location.folder().verify(removesDamaged: remove) { path, damage in
            print("\(path): wrong: \(damage.message) (at byte \(damage.offset))")
        }
        let (whole, damaged) = outcome
        print("\(whole) whole, \(damaged) damaged\(remove && damaged > 0 ? " and removed" : "")")
        if damaged > 0 { throw ExitCode.failure }
    }
}
