/// A clock that can't be set, for measuring durations.
package enum MonotonicClock {
    /// Milliseconds since an unspecified time before the process began.
    package static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }
}
