/// The process's peak resident memory.
package enum PeakMemory {
    /// In bytes; 0 where the system doesn't report it.
    package static var byteCount: Int {
        #if os(Linux) && !TESSERA_POSIX
        // getrusage includes the process's memory from before exec.
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
