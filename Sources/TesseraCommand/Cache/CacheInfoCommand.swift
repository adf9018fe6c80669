internal import ArgumentParser
internal import ImageLoading

/// `tessera cache info`: what is in a cache.
struct CacheInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Tell what is in a cache: how much, of which types, how old.",
        discussion: """
            The limit is that of the program that last opened the cache; it counts blocks of 4 KiB. An entry's age \
            counts from when it was stored, or last confirmed by its server.

            EXAMPLES
              tessera cache info ~/.cache/gallery
              tessera cache info ~/.cache/gallery --json
            """)

    @OptionGroup var location: CacheLocation

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let statistics = try location.folder().statistics()
        let now = TimeSpan.now
        print(json ? Self.json(location.path, statistics).text() : Self.text(statistics, now: now))
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
