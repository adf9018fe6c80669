internal import ArgumentParser
internal import ImageFormats
internal import ImageLoading
internal import Tessera

/// `tessera cache`: describes, checks and empties a cache folder.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Show, verify and clear a cache folder.",
        discussion: """
            The folder may be in use by other programs.

            EXAMPLES
              tessera cache info ~/.cache/gallery
              tessera cache verify ~/.cache/gallery --remove
              tessera cache clear ~/.cache/gallery --older-than 7d
            """,
        subcommands: [CacheInfoCommand.self, CacheVerifyCommand.self, CacheClearCommand.self])
}

/// The folder of a cache, as an argument.
struct CacheLocation: ParsableArguments {
    @Argument(help: ArgumentHelp("The cache's folder.", valueName: "dir"), completion: .directory)
    var path: String

    /// Returns the cache in the folder.
    /// - Throws: `CommandFailure` if the path isn't a cache.
    func folder() throws -> DataCacheFolder {
        guard FileSystem.isFolder(path) else { throw CommandFailure("\(path) isn't a folder; name the cache's folder") }
        let folder = DataCacheFolder(path: path)
        guard folder.isCache else {
            throw CommandFailure(
                "\(path) isn't a cache of Tessera's: it has no file CACHEDIR.TAG that says so. Name the folder itself.")
        }
        return folder
    }
}

/// `tessera cache info`: describes a cache.
struct CacheInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show the size, the types and the age of a cache's entries.",
        discussion: """
            The limit is the one set by the program that last opened the cache, in blocks of 4 KiB. An entry's age \
            counts from when it was stored or last revalidated.

            EXAMPLES
              tessera cache info ~/.cache/gallery
              tessera cache info ~/.cache/gallery --json
            """)

    @OptionGroup var location: CacheLocation

    @OptionGroup var result: ResultArguments

    func run() throws {
        let statistics = try location.folder().statistics()
        let now = TimeSpan.now
        result.show(Self.json(location.path, statistics), Self.text(statistics, now: now))
    }

    private static func types(_ statistics: DataCacheStatistics) -> [(name: String, DataCacheStatistics.Share)] {
        statistics.mediaTypes.map { ($0, $1) }
            .sorted { ($1.1.byteCount, $0.0) < ($0.1.byteCount, $1.0) }
    }

    private static func text(_ statistics: DataCacheStatistics, now: Int64) -> String {
        var lines = [
            "entries:  \(statistics.all.entryCount), of \(statistics.groupCount) pictures",
            "size:     \(ByteCount(statistics.all.byteCount)), \(ByteCount(statistics.byteCountOnDisk)) on disk",
        ]
        if let limit = statistics.byteLimit {
            let share = limit > 0 ? 100 * Double(statistics.byteCountOnDisk) / Double(limit) : 0
            lines.append("limit:    \(ByteCount(limit)), \(share.formatted(decimals: 0)) % used")
        }
        if let oldest = statistics.oldest, let newest = statistics.newest {
            lines.append("oldest:   \(TimeSpan(seconds: now - oldest)) ago")
            lines.append("newest:   \(TimeSpan(seconds: now - newest)) ago")
        }
        if statistics.damagedCount > 0 {
            lines.append("damaged:  \(statistics.damagedCount); tessera cache verify tells which")
        }
        guard statistics.all.entryCount > 0 else { return lines.joined(separator: "\n") }
        var table = TextTable(["type", "entries", "size"])
        for (name, share) in types(statistics) {
            table.append([name.isEmpty ? "not known" : name, "\(share.entryCount)", "\(ByteCount(share.byteCount))"])
        }
        return (lines + ["", table.description]).joined(separator: "\n")
    }

    private static func json(_ path: String, _ statistics: DataCacheStatistics) -> JSONValue {
        func time(_ seconds: Int64?) -> JSONValue { seconds.map { .integer(Int($0)) } ?? .null }
        return .object([
            ("folder", .string(path)),
            ("entries", .integer(statistics.all.entryCount)),
            ("pictures", .integer(statistics.groupCount)),
            ("bytes", .integer(statistics.all.byteCount)),
            ("bytesOnDisk", .integer(statistics.byteCountOnDisk)),
            ("limit", statistics.byteLimit.map { .integer($0) } ?? .null),
            ("oldest", time(statistics.oldest)),
            ("newest", time(statistics.newest)),
            ("damaged", .integer(statistics.damagedCount)),
            (
                "types",
                .array(
                    types(statistics).map { name, share in
                        .object([
                            ("type", name.isEmpty ? .null : .string(name)), ("entries", .integer(share.entryCount)),
                            ("bytes", .integer(share.byteCount)),
                        ])
                    })
            ),
        ])
    }
}

/// `tessera cache verify`: checks a cache's entries.
struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify every entry of a cache, to its last byte.",
        discussion: """
            Prints each damaged entry with the error and its byte offset. The exit status is 1 if there are any, even \
            with --remove. Programs that use the cache detect damaged entries and remove them when they read them.

            EXAMPLES
              tessera cache verify ~/.cache/gallery
              tessera cache verify ~/.cache/gallery --remove
            """)

    @OptionGroup var location: CacheLocation

    @Flag(help: "Remove damaged entries.")
    var remove = false

    @OptionGroup var report: ReportArguments

    func run() throws {
        let outcome = try location.folder().verify(removesDamaged: remove) { path, damage in
            guard report.json else {
                return print("\(path): wrong: \(damage.message) (at byte \(damage.offset))")
            }
            report.record(
                [
                    ("file", .string(path)), ("problem", .string(damage.message)),
                    ("byteOffset", .integer(Int(damage.offset))),
                ], path)
        }
        let (whole, damaged) = outcome
        report.record(
            [("whole", .integer(whole)), ("damaged", .integer(damaged)), ("removed", .boolean(remove && damaged > 0))],
            "\(location.path): \(whole + damaged) entries read")
        report.printResult("\(whole) whole, \(damaged) damaged\(remove && damaged > 0 ? " and removed" : "")")
        if damaged > 0 { throw ExitCode.failure }
    }
}

/// `tessera cache clear`: removes entries from a cache.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all entries of a cache, or old ones.",
        discussion: """
            Other files in the folder, and the folder itself, are kept. There is no confirmation prompt.

            EXAMPLES
              tessera cache clear ~/.cache/gallery
              tessera cache clear ~/.cache/gallery --older-than 7d
            """)

    @OptionGroup var location: CacheLocation

    @Option(
        help: ArgumentHelp(
            "Only entries stored or last revalidated this long ago: 90s, 15m, 12h or 7d.",
            valueName: "age"),
        transform: TimeSpan.parse)
    var olderThan: TimeSpan?

    @OptionGroup var result: ResultArguments

    func run() throws {
        let removed = try location.folder().clear(olderThan: olderThan?.seconds ?? 0)
        result.show(
            .object([("removed", .integer(removed.entryCount)), ("bytes", .integer(removed.byteCount))]),
            "removed \(removed.entryCount) \(removed.entryCount == 1 ? "entry" : "entries"), \(ByteCount(removed.byteCount))"
        )
    }
}
