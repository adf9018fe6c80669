#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

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
