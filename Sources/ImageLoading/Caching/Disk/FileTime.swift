internal import Platform

/// A moment as file systems keep it, since 1970.
package struct FileTime: Hashable, Comparable {
    package var seconds: Int64
    package var nanoseconds: Int64 = 0

    package init(seconds: Int64) { self.seconds = seconds }

    init(_ time: timespec) {
        seconds = Int64(time.tv_sec)
        nanoseconds = Int64(time.tv_nsec)
    }

    /// Now.
    static var now: FileTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }

    /// How many seconds lie between the two; 0 if `other` isn't earlier.
    func seconds(since other: FileTime) -> Int64 {
        let (difference, overflow) = seconds.subtractingReportingOverflow(other.seconds)
        return overflow ? (seconds > other.seconds ? .max : 0) : max(0, difference)
    }

    /// Notes that a file was used at this time.
    ///
    /// The file system may do so by itself, or not, as it was mounted, and by a clock that ticks a few hundred times a
    /// second; it is what entries are given up by.
    /// - Parameter file: The file's number, while it is open.
    func setAccessTime(of file: CInt) {
        #if canImport(Darwin)
        let unchanged = -2
        #else
        // UTIME_OMIT, a macro that Swift doesn't see.
        let unchanged = (1 << 30) - 2
        #endif
        let times = [
            timespec(tv_sec: time_t(seconds), tv_nsec: Int(nanoseconds)), timespec(tv_sec: 0, tv_nsec: unchanged),
        ]
        futimens(file, times)
    }

    package static func < (a: FileTime, b: FileTime) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }
}

extension stat {
    /// When the file was last read, by our own account.
    var accessTime: FileTime {
        #if canImport(Darwin)
        FileTime(st_atimespec)
        #else
        FileTime(st_atim)
        #endif
    }

    /// When the file was last written.
    var modificationTime: FileTime {
        #if canImport(Darwin)
        FileTime(st_mtimespec)
        #else
        FileTime(st_mtim)
        #endif
    }

    /// Whether it is a file with content of its own.
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
