internal import ImageFormats
internal import Platform
internal import Raster

/// What the system says of memory: in all, available, and allowed to this process's control group.
package struct SystemMemory: Sendable {
    /// Where the system's files are: empty but in tests.
    let root: String
    private let unifiedFolders: [String]
    private let memoryFolders: [String]

    package init(root: String = "") {
        self.root = root
        let groups = ControlGroups(Self.text(root + "/proc/self/cgroup") ?? "")
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
        return limits.compactMap(Self.number).reduce(physicalByteCount) { min($0, $1) }
    }

    private var physicalByteCount: Int {
        if let text = Self.text(root + "/proc/meminfo"), let total = Self.value(of: "MemTotal", in: text) {
            return total
        }
        return max(0, sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The files that tell of stalls, the one nearest to this process first; whether they exist isn't said.
    var pressureFiles: [String] { unifiedFolders.map { $0 + "/memory.pressure" } + [root + "/proc/pressure/memory"] }

    /// How short memory is now; nil where it isn't, or where nothing is known.
    package var pressure: MemoryPressure? {
        [stallPressure, groupPressure, machinePressure].compactMap { $0 }.max()
    }

    /// By the time that programs wait.
    private var stallPressure: MemoryPressure? {
        for file in pressureFiles {
            guard let text = Self.text(file), let stalls = PressureStallInformation(text) else { continue }
            return (stalls.full ?? 0) >= 10 ? .critical : stalls.some >= 10 ? .warning : nil
        }
        return nil
    }

    /// By what is left below the limit of each control group. Files in memory that nobody has used lately are the first
    /// to go and count as free.
    private var groupPressure: MemoryPressure? {
        unifiedFolders.compactMap { folder -> MemoryPressure? in
            guard let limit = Self.number(folder + "/memory.max"), limit > 0,
                let current = Self.number(folder + "/memory.current")
            else { return nil }
            let idle = Self.text(folder + "/memory.stat").flatMap { Self.value(of: "inactive_file", in: $0) } ?? 0
            let free = Double(limit) - Double(current) + Double(idle)
            return Self.pressure(free / Double(limit))
        }.max()
    }

    /// By what the machine could give to programs without swapping.
    private var machinePressure: MemoryPressure? {
        guard let text = Self.text(root + "/proc/meminfo"), let total = Self.value(of: "MemTotal", in: text), total > 0,
            let available = Self.value(of: "MemAvailable", in: text)
        else { return nil }
        return Self.pressure(Double(available) / Double(total))
    }

    private static func pressure(_ free: Double) -> MemoryPressure? {
        free < 0.03 ? .critical : free < 0.1 ? .warning : nil
    }

    /// Whether there is anything to look at.
    var isKnown: Bool { (pressureFiles + [root + "/proc/meminfo"]).contains { Self.text($0) != nil } }
}

extension SystemMemory {
    /// The value in bytes of the line that begins with `name`: as in `/proc/meminfo`, `MemTotal: 16 kB`, or as in
    /// `memory.stat`, `inactive_file 16384`. Nil where there is none, or one that isn't a number.
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

    /// The number in a file that has nothing else; nil for `max`, which is no limit.
    private static func number(_ path: String) -> Int? {
        guard let text = text(path), let value = Int(text.prefix { $0 != "\n" }), value >= 0 else { return nil }
        return value
    }

    /// What is in a small file; nil where it can't be read.
    private static func text(_ path: String) -> String? {
        var bytes: [UInt8] = []
        do throws(ImageError) {
            let source = try Source(path: path).reader()
            // Far more than such files have.
            while bytes.count < 1 << 16,
                try source.nextBytes({ piece in piece.withUnsafeBytes { bytes.append(contentsOf: $0) } })
            {}
        } catch {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
