/// A thread that waits for memory to become scarce.
///
/// It sleeps until the system wakes it (PSI triggers: Linux, Documentation/accounting/psi.rst); where they aren't
/// permitted, it polls every few seconds. Systems that report no memory statistics, POSIX among them, have no watch.
package final class MemoryPressureWatch: Sendable {
    private struct Trigger {
        let file: CInt
        let pressure: MemoryPressure
    }

    private let memory: SystemMemory
    private let triggers: [Trigger]
    /// Milliseconds between polls where there are no triggers; if negative, it polls only on `check()`.
    private let interval: CInt
    private let (wakeIn, wakeOut): (CInt, CInt)

    private static let (stopByte, checkByte): (UInt8, UInt8) = (0, 1)

    /// Nil if the system has no statistics to watch, or no more files can be opened.
    /// - Parameters:
    ///   - usesTriggers: Whether to use PSI triggers where permitted.
    ///   - interval: Milliseconds between polls without triggers; if negative, it polls only on `check()`.
    package init?(_ memory: SystemMemory, usesTriggers: Bool, interval: CInt) {
        guard memory.isKnown else { return nil }
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (wakeOut, wakeIn) = (ends[0], ends[1])
        self.memory = memory
        self.interval = interval
        triggers = usesTriggers ? Self.makeTriggers(memory.pressureFiles) : []
    }

    deinit {
        for trigger in triggers { close(trigger.file) }
        close(wakeIn)
        close(wakeOut)
    }

    /// Ends the thread asynchronously.
    package func stop() { wake(Self.stopByte) }

    /// Makes the thread poll now.
    package func check() { wake(Self.checkByte) }

    private func wake(_ byte: UInt8) {
        var byte = byte
        // A full pipe wakes the thread anyway.
        _ = write(wakeIn, &byte, 1)
    }

    /// Starts the thread, which calls `report`. It keeps the watch until it ends.
    /// - Returns: False if the system can't start another thread.
    package func start(_ report: @escaping @Sendable (MemoryPressure) -> Void) -> Bool {
        BackgroundThread.start { self.run(report) }
    }

    private func run(_ report: (MemoryPressure) -> Void) {
        var triggers = triggers
        var last: MemoryPressure?
        while true {
            var files = [pollfd(fd: wakeOut, events: Int16(POLLIN), revents: 0)]
            for trigger in triggers { files.append(pollfd(fd: trigger.file, events: Int16(POLLPRI), revents: 0)) }
            let ready = poll(&files, nfds_t(files.count), triggers.isEmpty ? interval : -1)
            guard ready >= 0 || errno == EINTR else { return }
            guard ready >= 0 else { continue }
            var isAsked = false
            if files[0].revents != 0 {
                var byte = Self.stopByte
                guard read(wakeOut, &byte, 1) == 1, byte != Self.stopByte else { return }
                isAsked = true
            }
            // Reported as often as a trigger fires, at most once in two seconds.
            let states = zip(triggers, files.dropFirst().map { CInt($0.revents) })
            let woken = states.filter { $0.1 & CInt(POLLPRI) != 0 && $0.1 & CInt(POLLERR) == 0 }.map(\.0.pressure).max()
            if let woken { report(woken) }
            // The group with the trigger has been removed.
            triggers = states.filter { $0.1 & CInt(POLLERR | POLLNVAL) == 0 }.map(\.0)
            guard isAsked || triggers.isEmpty else { continue }
            // Polling reports only a change for the worse, not one that lasts.
            let now = memory.pressure
            if let now, last.map({ $0 < now }) ?? true { report(now) }
            last = now
        }
    }

    /// Sets a trigger on the first of `paths` that permits it.
    private static func makeTriggers(_ paths: [String]) -> [Trigger] {
        for path in paths {
            // A tenth of two seconds, the shortest window open to unprivileged processes.
            let wanted: [(String, MemoryPressure)] = [
                ("some 200000 2000000", .warning), ("full 200000 2000000", .critical),
            ]
            let triggers = wanted.compactMap { words, pressure -> Trigger? in
                let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                guard file >= 0 else { return nil }
                // With the terminating zero that the kernel requires.
                let count = words.utf8.count + 1
                guard write(file, words, count) == count else {
                    close(file)
                    return nil
                }
                return Trigger(file: file, pressure: pressure)
            }
            if !triggers.isEmpty { return triggers }
        }
        return []
    }
}
