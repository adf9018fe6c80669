internal import ArgumentParser
internal import Platform

/// A duration in whole seconds, written as `90s`, `15m`, `12h` or `7d`.
struct TimeSpan: CustomStringConvertible {
    let seconds: Int64

    private static let units: [(letter: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    init(seconds: Int64) { self.seconds = max(0, seconds) }

    /// Parses an argument.
    static func parse(_ argument: String) throws -> TimeSpan {
        guard let unit = units.first(where: { $0.letter == argument.last }),
            let count = Int64(argument.dropLast()), count >= 0
        else { throw ValidationError("write a number and one of s, m, h or d, as in 7d") }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit.seconds)
        return TimeSpan(seconds: overflow ? .max : seconds)
    }

    /// The duration in the largest unit of which it has at least two, rounded down.
    var description: String {
        let unit = Self.units.first { seconds >= 2 * $0.seconds } ?? ("s", 1)
        return "\(seconds / unit.seconds)\(unit.letter)"
    }

    /// The current time in seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }
}
