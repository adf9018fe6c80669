/// A file system's time, counted from 1970.
package struct FileTime: Hashable, Comparable, Sendable {
    /// Whole seconds; negative before 1970.
    package var seconds: Int64
    /// Nanoseconds beyond the whole seconds, 0 to 999,999,999.
    package var nanoseconds: Int64 = 0

    /// The time `seconds` after the start of 1970.
    package init(seconds: Int64) { self.seconds = seconds }

    /// Nanoseconds since 1970, to be stored: wraps around after about 292 years.
    package var nanosecondsSince1970: Int64 { seconds &* 1_000_000_000 &+ nanoseconds }

    /// Converts the C library's `time`.
    package init(_ time: timespec) {
        seconds = Int64(time.tv_sec)
        nanoseconds = Int64(time.tv_nsec)
    }

    /// The current time.
    package static var now: FileTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }

    /// The seconds between the two; 0 unless `other` is earlier.
    package func seconds(since other: FileTime) -> Int64 {
        let (difference, overflow) = seconds.subtractingReportingOverflow(other.seconds)
        return overflow ? (seconds > other.seconds ? .max : 0) : max(0, difference)
    }

    /// Sets a file's time of last access to this time.
    ///
    /// The file system may also update it, depending on its mount options, and by a coarser clock; cache eviction orders
    /// entries by it.
    /// - Parameter file: The number of an open file.
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

    /// Sets a file's times of last access and last change to this time.
    /// - Parameter file: The number of an open file.
    /// - Returns: False, with the reason in `errno`, on failure.
    @discardableResult
    package func setTimes(of file: CInt) -> Bool { Self.setTimes(of: file, access: self, modification: self) }

    /// Sets a file's times of last access and last change.
    /// - Parameter file: The number of an open file.
    /// - Returns: False, with the reason in `errno`, on failure.
    package static func setTimes(of file: CInt, access: FileTime, modification: FileTime) -> Bool {
        futimens(file, [access.value, modification.value]) == 0
    }

    private var value: timespec { timespec(tv_sec: time_t(seconds), tv_nsec: Int(nanoseconds)) }

    package static func < (a: FileTime, b: FileTime) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }
}
