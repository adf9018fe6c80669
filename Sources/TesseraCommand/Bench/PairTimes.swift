internal import Tessera

/// How long a picture takes to load as a PNG and as a JPNG.
struct PairTimes {
    /// The times for one of the two files.
    struct Times {
        let deferredCold: LoadTime
        let deferredWarm: LoadTime
        let forcedCold: LoadTime
        let forcedWarm: LoadTime

        init(_ path: String, runs: Int) throws {
            deferredCold = try .cold(path, forced: false, count: runs)
            forcedCold = try .cold(path, forced: true, count: runs)
            deferredWarm = try .warm(path, forced: false, count: runs)
            forcedWarm = try .warm(path, forced: true, count: runs)
        }

        var all: [LoadTime] { [deferredCold, deferredWarm, forcedCold, forcedWarm] }

        func json(byteCount: Int) -> JSONValue {
            .object([
                ("bytes", .integer(byteCount)),
                ("deferredColdNanoseconds", .integer(deferredCold.nanoseconds)),
                ("deferredWarmNanoseconds", .integer(deferredWarm.nanoseconds)),
                ("forcedColdNanoseconds", .integer(forcedCold.nanoseconds)),
                ("forcedWarmNanoseconds", .integer(forcedWarm.nanoseconds)),
            ])
        }
    }

    private let pair: PicturePair
    private let png: Times
    private let jpng: Times

    init(_ pair: PicturePair, runs: Int) throws {
        self.pair = pair
        var folder = try TemporaryFolder()
        png = try Times(Self.write(pair.png, to: folder.file("a.png")), runs: runs)
        jpng = try Times(Self.write(pair.jpng, to: folder.file("a.jpng")), runs: runs)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(ImageError) -> String {
        let file = try AtomicFile(path: path)
        try file.write(bytes)
        try file.commit()
        return path
    }

    var json: JSONValue {
        .object([
            ("picture", .string(pair.name)),
            ("width", .integer(pair.size.width)),
            ("height", .integer(pair.size.height)),
            ("png", png.json(byteCount: pair.png.count)),
            ("jpng", jpng.json(byteCount: pair.jpng.count)),
        ])
    }

    /// Two lines for each picture, the times in milliseconds.
    static func table(_ results: [PairTimes]) -> TextTable {
        var table = TextTable([
            "picture", "pixels", "format", "bytes", "deferred, cold", "warm", "forced, cold", "warm  (ms)",
        ])
        for result in results {
            let (pair, size) = (result.pair, "\(result.pair.size)")
            table.append([pair.name, size, "PNG", "\(pair.png.count)"] + result.png.all.map(\.text))
            table.append(["", "", "JPNG", "\(pair.jpng.count)"] + result.jpng.all.map(\.text))
            let times = zip(result.jpng.all, result.png.all).map { Double($0.nanoseconds) / Double($1.nanoseconds) }
            table.append(["", "", "of PNG"] + ([pair.ratio] + times).map { "\($0.formatted(decimals: 2))x" })
        }
        return table
    }
}
