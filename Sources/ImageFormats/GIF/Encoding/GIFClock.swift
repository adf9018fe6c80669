/// Turns durations into hundredths of a second so that what rounding takes from one is given to the next.
struct GIFClock {
    /// The time that was asked for so far, in hundredths of a second, and the time that was given.
    private var asked = 0.0
    private var given = 0

    /// The delay for a frame that is to be shown for `duration` seconds.
    ///
    /// A frame that is to be shown at all fast gets two hundredths at least: less is what viewers take for a tenth.
    mutating func delay(for duration: Double) -> Int {
        // Beyond what a delay can say nothing is made up for.
        let wanted = min(duration * 100, 65535)
        asked += wanted
        let least = wanted < 1.1 ? Int(wanted.rounded()) : 2
        let delay = min(65535, max(least, Int((asked - Double(given)).rounded())))
        given += delay
        return delay
    }
}
