/// The machine's memory: total, available, and the limit of this process's control groups.
///
/// Linux reports all of these in files. POSIX has the machine's total but not the available memory, so on other systems
/// memory never counts as scarce.
package struct SystemMemory: Sendable {
    /// The root of the system's files: empty except in tests.
    private let root: String
    private let hasFiles: Bool
    private let unifiedFolders: [String]
    private let memoryFolders: [String]

    #if os(Linux) && !TESSERA_POSIX
    private static let systemHasFiles = true
    #else
    private static let systemHasFiles = false
    #endif

    /// This system's memory, or that described by the files below `root`.
    package init(root: String = "") {
        self.root = root
        hasFiles = Self.systemHasFiles || !root.isEmpty
        let groups = ControlGroups(hasFiles ? SmallFile.text(root + "/proc/self/cgroup") ?? "" : "")
        unifiedFolders =
            groups.unified.map { path in
                ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].flatMap {
                    ControlGroups.folders(of: path, in: root + $0)
                }
            } ?? []
        memoryFolders = groups.memory.map { ControlGroups.folders(of: $0, in: root + "/sys/fs/cgroup/memory") } ?? []
    }

    /// Bytes that this process may use: the machine's, or its control groups' limit where that is lower.
    package var byteCount: Int {
        let limits = unifiedFolders.map { $0 + "/memory.max" } + memoryFolders.map { $0 + "/memory.limit_in_bytes" }
        let total = text(root + "/proc/meminfo").flatMap { Self.value(of: "MemTotal", in: $0) }
        return limits.compactMap(number).reduce(total ?? Self.physicalByteCount) { min($0, $1) }
    }

    /// Bytes that the machine has.
    package static var physicalByteCount: Int {
        max(0, sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The files with stall statistics, the innermost group's first; they may not exist.
    package var pressureFiles: [String] {
        unifiedFolders.map { $0 + "/memory.pressure" } + [root + "/proc/pressure/memory"]
    }

    /// How scarce memory is now; nil if it isn't, or if the system doesn't report it.
    package var pressure: MemoryPressure? {
        [stallPressure, groupPressure, machinePressure].compactMap { $0 }.max()
    }

    /// From the time that programs wait.
    private var stallPressure: MemoryPressure? {
        for file in pressureFiles {
            guard let text = text(file), let stalls = PressureStallInformation(text) else { continue }
            return (stalls.full ?? 0) >= 10 ? .critical : stalls.some >= 10 ? .warning : nil
        }
        return nil
    }

    /// From the room below each control group's limit. Cached files not used lately are reclaimed first and count as
    /// free.
    private var groupPressure: MemoryPressure? {
        unifiedFolders.compactMap { folder -> MemoryPressure? in
            guard let limit = number(folder + "/memory.max"), limit > 0,
                let current = number(folder + "/memory.current")
            else { return nil }
            let idle = text(folder + "/memory.stat").flatMap { Self.value(of: "inactive_file", in: $0) } ?? 0
            let free = Double(limit) - Double(current) + Double(idle)
            return Self.pressure(free / Double(limit))
        }.max()
    }

    /// From the memory available without swapping.
    private var machinePressure: MemoryPressure? {
        guard let text = text(root + "/proc/meminfo"), let total = Self.value(of: "MemTotal", in: text), total > 0,
            let available = Self.value(of: "MemAvailable", in: text)
        else { return nil }
        return Self.pressure(Double(available) / Double(total))
    }

    private static func pressure(_ free: Double) -> MemoryPressure? {
        free < 0.03 ? .critical : free < 0.1 ? .warning : nil
    }

    /// Whether the system reports memory statistics.
    package var isKnown: Bool { (pressureFiles + [root + "/proc/meminfo"]).contains { text($0) != nil } }
}

extension SystemMemory {
    /// The value in bytes of the line that begins with `name`: `MemTotal: 16 kB` in `/proc/meminfo`, `inactive_file 16384`
    /// in `memory.stat`. Nil if the line is missing or has no number.
    package static func value(of name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == ":" }
            guard words.count >= 2, words[0] == name else { continue }
            guard let value = Int(words[1]), value >= 0 else { return nil }
            guard words.count > 2, words[2] == "kB" else { return value }
            let bytes = value.multipliedReportingOverflow(by: 1024)
            return bytes.overflow ? nil : bytes.partialValue
        }
        return nil
    }

    /// The number in a file that contains nothing else; nil for `max`, which means no limit.
    private func number(_ path: String) -> Int? {
        guard let text = text(path), let value = Int(text.prefix { $0 != "\n" }), value >= 0 else { return nil }
        return value
    }

    /// The content of a system file; nil if it can't be read.
    private func text(_ path: String) -> String? { hasFiles ? SmallFile.text(path) : nil }
}
