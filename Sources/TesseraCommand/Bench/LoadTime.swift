internal import Tessera

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
        let image = try ImageSource.image(try WholeFile.read(path), forcesDecompression: forced)
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
