#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the kernel says of this process's memory (proc(5)), in bytes.
enum MemoryUse {
    /// What it has now.
    static var current: Int { value("VmRSS:") }
    /// What it had at the most.
    static var peak: Int { value("VmHWM:") }

    /// Lets the peak begin anew, where the kernel takes that.
    static func forgetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    private static func value(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
            return
                (line.split(separator: " ").dropFirst(1).first.flatMap { Int($0) }
                ?? Int(line.dropFirst(name.count).filter(\.isNumber)) ?? 0) << 10
        }
        return 0
    }
}
