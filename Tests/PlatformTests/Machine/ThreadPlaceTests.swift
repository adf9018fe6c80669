#if os(Linux)
import Dispatch
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@Suite("The places of threads", .needsLinux("POSIX has no affinity of threads"))
struct ThreadPlaceTests {
    @Test(
        "A thread leaves another one's processor, and may come back",
        .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "This machine has one processor"))
    func aThreadLeaves() {
        let (hasLeft, before, after) = Self.onThread {
            let before = Self.allowedProcessors
            // Threads begin on any processor, and nothing keeps the system from moving this one back at once.
            let hasLeft = (0..<10_000).contains { _ in
                let other = Self.onThread { ThreadPlace() }
                guard ThreadPlace().processor == other.processor else { return false }
                other.leave()
                return ThreadPlace().processor != other.processor
            }
            return (hasLeft, before, Self.allowedProcessors)
        }
        #expect(hasLeft && after == before && !before.isEmpty)
    }

    @Test("A thread that may be on one processor stays there")
    func aThreadStays() throws {
        let (taskset, before, after, processors) = Self.onThread {
            let taskset = Process()
            taskset.executableURL = URL(filePath: "/usr/bin/taskset")
            let thread = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
            let processor = ThreadPlace().processor
            taskset.arguments = ["-p", "-c", "\(processor)", "\(thread.split(separator: "/").last ?? "")"]
            taskset.standardOutput = FileHandle.nullDevice
            try? taskset.run()
            taskset.waitUntilExit()
            let before = Self.allowedProcessors
            let other = Self.onThread { ThreadPlace() }
            other.leave()
            ThreadPlace().leave()
            return (taskset.terminationStatus, before, Self.allowedProcessors, [processor, ThreadPlace().processor])
        }
        #expect(taskset == 0)
        #expect(before == "\(processors[0])" && after == before && processors[1] == processors[0])
    }

    /// The processors that the calling thread may be on, as the system lists them.
    private static var allowedProcessors: String {
        let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        return line?.split(separator: "\t").last.map(String.init) ?? ""
    }

    /// What `body` returns on a thread of its own.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let answer = Answer<Value>()
        let isDone = DispatchSemaphore(value: 0)
        _ = BackgroundThread.start {
            let value = body()
            answer.value.withLock { $0 = value }
            isDone.signal()
        }
        isDone.wait()
        return answer.value.withLock { $0! }
    }

    private final class Answer<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
#endif
