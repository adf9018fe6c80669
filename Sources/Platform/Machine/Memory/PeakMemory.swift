/// The most memory that this process had at a time.
package enum PeakMemory {
    /// In bytes, as the system counts what is resident; 0 where it doesn't say.
    package static var byteCount: Int {
        #if os(Linux) && !TESSERA_POSIX
        // What getrusage says includes what the process was before it became this program.
        guard let text = SmallFile.text("/proc/self/status") else { return 0 }
        return SystemMemory.value(of: "VmHWM", in: text) ?? 0
        #else
        var usage = rusage()
        #if canImport(Glibc)
        let counted = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0
        #else
        let counted = getrusage(RUSAGE_SELF, &usage) == 0
        #endif
        // Darwin counts bytes, others units of 1,024.
        #if canImport(Darwin)
        let unit = 1
        #else
        let unit = 1024
        #endif
        return counted ? Int(usage.ru_maxrss) * unit : 0
        #endif
    }
}
