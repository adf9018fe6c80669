import Platform
import TestSupport
import Testing

@Suite("The system's memory")
struct SystemMemoryTests {
    @Test(
        "Lines of /proc/meminfo are parsed",
        arguments: [
            ("MemTotal:       16 kB\n", 16384), ("MemFree: 1 kB\nMemTotal:\t2 kB", 2048), ("MemTotal 7", 7),
            ("", nil), ("MemTotal:", nil), ("MemTotal: x kB", nil), ("MemTotal: -1 kB", nil), ("MemTotals: 1 kB", nil),
            ("MemTotal: 9223372036854775807 kB", nil), ("MemTotal: 99999999999999999999", nil),
        ] as [(String, Int?)])
    func lines(_ text: String, _ value: Int?) { #expect(SystemMemory.value(of: "MemTotal", in: text) == value) }

    private static let meminfo = "MemTotal: 1000 kB\nMemAvailable: 500 kB\n"

    @Test(
        "The lowest memory limit of the control groups is found",
        arguments: [
            ([:], 1_024_000),
            (["/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n"], 1_024_000),
            (["/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "5000\n"], 5000),
            (
                [
                    "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "5000\n",
                    "/sys/fs/cgroup/a/memory.max": "4000\n",
                ], 4000
            ),
            // A container's mount begins at its own group.
            (["/proc/self/cgroup": "0::/host/path\n", "/sys/fs/cgroup/memory.max": "3000\n"], 3000),
            (["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/unified/a/memory.max": "2000\n"], 2000),
            (["/proc/self/cgroup": "3:memory:/a\n", "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1000\n"], 1000),
            (["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.max": "9223372036854771712\n"], 1_024_000),
            (["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.max": "much\n"], 1_024_000),
            (["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.max": "-3\n"], 1_024_000),
            (["/proc/self/cgroup": "nonsense"], 1_024_000),
        ] as [([String: String], Int)])
    func limits(_ files: [String: String], _ byteCount: Int) throws {
        let system = try FakeSystem(["/proc/meminfo": Self.meminfo].merging(files) { $1 })
        #expect(SystemMemory(root: system.root).byteCount == byteCount)
    }

    @Test("Without files, the system is asked")
    func theMachineIsAskedWhereNoFileSays() throws {
        let system = try FakeSystem(["/proc/meminfo": "garbage"])
        #expect(SystemMemory(root: system.root).byteCount > 1 << 20)
    }

    @Test(
        "The level of memory pressure is computed",
        arguments: [
            ([:], nil),
            (["/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 99 kB\n"], .warning),
            (["/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 29 kB\n"], .critical),
            (["/proc/meminfo": "MemTotal: 0 kB\nMemAvailable: 0 kB\n"], nil),
            (["/proc/meminfo": "MemTotal: 1000 kB\n"], nil),
            (["/proc/pressure/memory": "some avg10=9.99 avg60=50\nfull avg10=0.00"], nil),
            (["/proc/pressure/memory": "some avg10=10.00"], .warning),
            (["/proc/pressure/memory": "some avg10=40.00\nfull avg10=10.00"], .critical),
            (["/proc/pressure/memory": "\u{1}\u{2}"], nil),
            // The group's own word counts, not the machine's.
            (
                [
                    "/proc/self/cgroup": "0::/a", "/sys/fs/cgroup/a/memory.pressure": "some avg10=0.00",
                    "/proc/pressure/memory": "some avg10=90.00",
                ], nil
            ),
            (
                [
                    "/proc/self/cgroup": "0::/a", "/sys/fs/cgroup/a/memory.max": "1000",
                    "/sys/fs/cgroup/a/memory.current": "950",
                ], .warning
            ),
            (
                [
                    "/proc/self/cgroup": "0::/a", "/sys/fs/cgroup/a/memory.max": "1000",
                    "/sys/fs/cgroup/a/memory.current": "1000", "/sys/fs/cgroup/a/memory.stat": "inactive_file 500\n",
                ], nil
            ),
            (
                [
                    "/proc/self/cgroup": "0::/a/b", "/sys/fs/cgroup/a/memory.max": "1000",
                    "/sys/fs/cgroup/a/memory.current": "1000",
                ], .critical
            ),
            (
                [
                    "/proc/self/cgroup": "0::/a", "/sys/fs/cgroup/a/memory.max": "0",
                    "/sys/fs/cgroup/a/memory.current": "10",
                ], nil
            ),
            (
                [
                    "/proc/self/cgroup": "0::/a", "/sys/fs/cgroup/a/memory.max": "max",
                    "/sys/fs/cgroup/a/memory.current": "9223372036854775807",
                ], nil
            ),
        ] as [([String: String], MemoryPressure?)])
    func pressure(_ files: [String: String], _ pressure: MemoryPressure?) throws {
        let system = try FakeSystem(["/proc/meminfo": Self.meminfo].merging(files) { $1 })
        #expect(SystemMemory(root: system.root).pressure == pressure)
    }
}
