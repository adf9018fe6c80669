/// A moment as file systems keep it, since 1970.
package struct FileTime: Hashable, Comparable, Sendable {
    /// Whole seconds; below 0 before 1970.
    package var seconds: Int64
    /// What is beyond those, below 1,000,000,000.
    package var nanoseconds: Int64 = 0

    /// The moment `seconds` after 1970 began.
    package init(seconds: Int64) { self.seconds = seconds }

    /// Nanoseconds since 1970, as a number to be stored: beyond some 292 years it begins again.
    package var nanosecondsSince1970: Int64 { seconds &* 1_000_000_000 &+ nanoseconds }

    /// The moment that the system calls `time`.
    package init(_ time: timespec) {
        seconds = Int64(time.tv_sec)
        nanoseconds = Int64(time.tv_nsec)
    }

    /// Now.
    package static var now: FileTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }

    /// How many seconds lie between the two; 0 if `other` isn't earlier.
    package func seconds(since other: FileTime) -> Int64 {
        let (difference, overflow) = seconds.subtractingReportingOverflow(other.seconds)
        return overflow ? (seconds > other.seconds ? .max : 0) : max(0, difference)
    }

    /// Notes that a file was used at this time.
    ///
    /// The file system may do so by itself, or not, as it was mounted, and by a clock that ticks a few hundred times a
    /// second; it is what entries are given up by.
    /// - Parameter file: The file's number, while it is open.
    package func setAccessTime(of file: CInt) {
        #if canImport(Darwin)
        let unchanged = -2
        #else
        // UTIME_OMIT, a macro that Swift doesn't see.
        let unchanged = (1 << 30) - 2
        #endif
        let times = [value, timespec(tv_sec: 0, tv_nsec: unchanged)]
        futimens(file, times)
    }

    /// Has a file say that it was last read and written at this time.
    /// - Parameter file: The file's number, while it is open.
    /// - Returns: False, with the reason in `errno`, where that can't be.
    @discardableResult
    package func setTimes(of file: CInt) -> Bool { futimens(file, [value, value]) == 0 }

    private var value: timespec { timespec(tv_sec: time_t(seconds), tv_nsec: Int(nanoseconds)) }

    package static func < (a: FileTime, b: FileTime) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }
}
