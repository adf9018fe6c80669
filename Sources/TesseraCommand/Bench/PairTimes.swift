internal import ImageFormats
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
        try FileSystem.write(bytes, to: path)
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

/// How long it takes to load a picture from a file.
struct LoadTime {
    let nanoseconds: Int

    /// In milliseconds, with three digits or so.
    var text: String {
        let value = Double(nanoseconds) / 1_000_000
        return value.formatted(decimals: value < 1 ? 3 : value < 10 ? 2 : 1)
    }

    /// Loads the file at `path` once: all its bytes and its header and, when `forced`, its pixels.
    static func measure(_ path: String, forced: Bool) throws -> LoadTime {
        let start = ContinuousClock.now
        let image = try ImageSource.image(try InputLocation(path).open().bytes(), forcesDecompression: forced)
        let elapsed = ContinuousClock.now - start
        // The picture is needed until here, or nothing would have to be loaded.
        withExtendedLifetime(image) {}
        let (seconds, attoseconds) = elapsed.components
        return LoadTime(nanoseconds: Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// The middle one of `count` loads in this process, after one that isn't counted.
    static func warm(_ path: String, forced: Bool, count: Int) throws -> LoadTime {
        _ = try measure(path, forced: forced)
        return median(try (0..<count).map { _ in try measure(path, forced: forced) })
    }

    /// The middle one of `count` loads, each the first in a process of its own.
    static func cold(_ path: String, forced: Bool, count: Int) throws -> LoadTime {
        let arguments = ["bench", "load", path] + (forced ? ["--forced"] : [])
        return median(
            try (0..<count).map { _ in
                let output = try OwnProcess.output(arguments)
                guard let nanoseconds = Int(output.filter { !$0.isWhitespace }) else {
                    throw CommandFailure("a process that was to measure printed \"\(output)\"")
                }
                return LoadTime(nanoseconds: nanoseconds)
            })
    }

    private static func median(_ times: [LoadTime]) -> LoadTime {
        times.sorted { $0.nanoseconds < $1.nanoseconds }[times.count / 2]
    }
}

/// A picture as a PNG and as a JPNG, to be compared.
struct PicturePair {
    let name: String
    let size: PixelSize
    let png: [UInt8]
    let jpng: [UInt8]

    /// Encodes `bitmap` both ways.
    init(_ name: String, _ bitmap: Bitmap, options: EncodingOptions) throws(ImageError) {
        self.name = name
        size = bitmap.size
        png = try ImageDestination(format: .png).encode(bitmap)
        jpng = try ImageDestination(format: .jpng, options: options).encode(bitmap)
    }

    /// Takes the file at `path` for the one and makes the other, or both of a file of another format.
    init(path: String, options: EncodingOptions) throws(ImageError) {
        let bytes = try InputLocation(path).open().bytes()
        do throws(ImageError) {
            let decoded = try ImageSource.decode(bytes)
            if let error = decoded.error { throw error }
            name = FilePath(path).name
            size = decoded.bitmap.size
            let format = decoded.header.format
            png = format == .png ? bytes : try ImageDestination(format: .png).encode(decoded.bitmap)
            jpng =
                format == .jpng ? bytes : try ImageDestination(format: .jpng, options: options).encode(decoded.bitmap)
        } catch {
            throw ImageError(error.code, "\(path): \(error.message)", byteOffset: error.byteOffset)
        }
    }

    /// The JPNG's bytes over the PNG's.
    var ratio: Double { Double(jpng.count) / Double(png.count) }
}
