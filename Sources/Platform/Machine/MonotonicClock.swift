/// Time that nobody sets, for how long something takes.
package enum MonotonicClock {
    /// Milliseconds since some moment before the process began.
    package static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }
}
