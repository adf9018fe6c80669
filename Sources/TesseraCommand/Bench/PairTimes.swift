internal import ImageFormats
internal import Tessera

/// The load times of an image as PNG and as JPNG.
struct PairTimes {
    /// The times of one of the two files.
    struct Times {
        /// Nanoseconds: deferred cold, deferred warm, forced cold, forced warm.
        let all: [Int]

        init(_ path: String, runs: Int) throws {
            let cold = try [false, true].map { try LoadTime.cold(path, forced: $0, count: runs) }
            let warm = try [false, true].map { try LoadTime.warm(path, forced: $0, count: runs) }
            all = [cold[0], warm[0], cold[1], warm[1]]
        }

        func json(byteCount: Int) -> JSONValue {
            let names = ["deferredCold", "deferredWarm", "forcedCold", "forcedWarm"].map { $0 + "Nanoseconds" }
            return .object([("bytes", .integer(byteCount))] + zip(names, all.map { .integer($0) }))
        }
    }

    private let pair: PicturePair
    private let png: Times
    private let jpng: Times

    init(_ pair: PicturePair, runs: Int) throws {
        self.pair = pair
        let folder = try TemporaryFolder()
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

    /// Makes a table with two lines per image, times in milliseconds.
    static func table(_ results: [PairTimes]) -> TextTable {
        var table = TextTable([
            "picture", "pixels", "format", "bytes", "deferred, cold", "warm", "forced, cold", "warm  (ms)",
        ])
        for result in results {
            let (pair, size) = (result.pair, "\(result.pair.size)")
            table.append([pair.name, size, "PNG", "\(pair.png.count)"] + result.png.all.map(LoadTime.text))
            table.append(["", "", "JPNG", "\(pair.jpng.count)"] + result.jpng.all.map(LoadTime.text))
            let times = zip(result.jpng.all, result.png.all).map { Double($0) / Double($1) }
            table.append(["", "", "of PNG"] + ([pair.ratio] + times).map { "\($0.formatted(decimals: 2))x" })
        }
        return table
    }
}

/// Measures the time to load an image from a file, in nanoseconds.
enum LoadTime {
    /// Formats nanoseconds as milliseconds with about three significant digits.
    static func text(_ nanoseconds: Int) -> String {
        let value = Double(nanoseconds) / 1_000_000
        return value.formatted(decimals: value < 1 ? 3 : value < 10 ? 2 : 1)
    }

    /// Loads the file at `path` once: all bytes, the header and, if `forced`, the pixels.
    static func measure(_ path: String, forced: Bool) throws -> Int {
        let start = ContinuousClock.now
        let image = try ImageSource.image(try InputLocation(path).open().bytes(), forcesDecompression: forced)
        let elapsed = ContinuousClock.now - start
        // Keeps the image alive, so that the load can't be optimized away.
        withExtendedLifetime(image) {}
        let (seconds, attoseconds) = elapsed.components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }

    /// Returns the median of `count` loads in this process, after one load that isn't counted.
    static func warm(_ path: String, forced: Bool, count: Int) throws -> Int {
        _ = try measure(path, forced: forced)
        return median(try (0..<count).map { _ in try measure(path, forced: forced) })
    }

    /// Returns the median of `count` loads, each in a fresh process.
    static func cold(_ path: String, forced: Bool, count: Int) throws -> Int {
        let arguments = ["bench", "load", path] + (forced ? ["--forced"] : [])
        return median(
            try (0..<count).map { _ in
                let output = try OwnProcess.output(arguments)
                guard let nanoseconds = Int(output.filter { !$0.isWhitespace }) else {
                    throw CommandFailure("a process that was to measure printed \"\(output)\"")
                }
                return nanoseconds
            })
    }

    private static func median(_ times: [Int]) -> Int { times.sorted()[times.count / 2] }
}

/// An image encoded as PNG and as JPNG.
struct PicturePair {
    let name: String
    let size: PixelSize
    let png: [UInt8]
    let jpng: [UInt8]

    /// Encodes `bitmap` in both formats.
    init(_ name: String, _ bitmap: Bitmap, options: EncodingOptions) throws(ImageError) {
        self.name = name
        size = bitmap.size
        png = try ImageDestination(format: .png).encode(bitmap)
        jpng = try ImageDestination(format: .jpng, options: options).encode(bitmap)
    }

    /// Uses the file at `path` for its own format and encodes the other, or both if it is neither.
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

    /// The size of the JPNG divided by that of the PNG.
    var ratio: Double { Double(jpng.count) / Double(png.count) }
}
