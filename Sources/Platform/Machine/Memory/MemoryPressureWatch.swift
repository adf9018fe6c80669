/// A thread that waits for memory to become short.
///
/// It sleeps until the system wakes it (PSI triggers: Linux, Documentation/accounting/psi.rst); where that isn't allowed,
/// it looks every few seconds. Where the system says nothing of memory, as where there is only POSIX, there is none.
package final class MemoryPressureWatch: Sendable {
    private struct Trigger {
        let file: CInt
        let pressure: MemoryPressure
    }

    private let memory: SystemMemory
    private let triggers: [Trigger]
    /// Milliseconds between looks where there are no triggers; below 0: only when asked to.
    private let interval: CInt
    private let (wakeIn, wakeOut): (CInt, CInt)

    private static let (stopByte, checkByte): (UInt8, UInt8) = (0, 1)

    /// Nil where there is nothing to watch, or no more files can be opened.
    /// - Parameters:
    ///   - usesTriggers: Whether the system may be asked to wake the thread.
    ///   - interval: Milliseconds between looks where it isn't; below 0: only on `check()`.
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

    /// Ends the thread, soon.
    package func stop() { wake(Self.stopByte) }

    /// Has the thread look now.
    package func check() { wake(Self.checkByte) }

    private func wake(_ byte: UInt8) {
        var byte = byte
        // A pipe that is full wakes the thread anyway.
        _ = write(wakeIn, &byte, 1)
    }

    /// Starts the thread, which calls `report`. It keeps the watch until it ends.
    /// - Returns: False where the system has no more threads.
    package func start(_ report: @escaping @Sendable (MemoryPressure) -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body { self.run(report) })
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let status = pthread_create(
            &thread, nil,
            { argument in
                // What passRetained gave, given to this thread alone.
                let pointer: UnsafeMutableRawPointer? = argument
                Unmanaged<Body>.fromOpaque(pointer!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard status == 0 else {
            body.release()
            return false
        }
        #if canImport(Darwin)
        pthread_detach(thread!)
        #else
        pthread_detach(thread)
        #endif
        return true
    }

    /// What a thread does: something to hand over by a pointer.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
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
            // Each is told as often as the system tells it, once in two seconds.
            let states = zip(triggers, files.dropFirst().map { CInt($0.revents) })
            let woken = states.filter { $0.1 & CInt(POLLPRI) != 0 && $0.1 & CInt(POLLERR) == 0 }.map(\.0.pressure).max()
            if let woken { report(woken) }
            // The group has been removed from under the trigger.
            triggers = states.filter { $0.1 & CInt(POLLERR | POLLNVAL) == 0 }.map(\.0)
            guard isAsked || triggers.isEmpty else { continue }
            // Looking finds the same for as long as it lasts: only what becomes worse is news.
            let now = memory.pressure
            if let now, last.map({ $0 < now }) ?? true { report(now) }
            last = now
        }
    }

    /// Asks the system to be woken: by the first of `paths` that allows it.
    private static func makeTriggers(_ paths: [String]) -> [Trigger] {
        for path in paths {
            // A tenth of two seconds, the shortest window that is open to everybody.
            let wanted: [(String, MemoryPressure)] = [
                ("some 200000 2000000", .warning), ("full 200000 2000000", .critical),
            ]
            let triggers = wanted.compactMap { words, pressure -> Trigger? in
                let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                guard file >= 0 else { return nil }
                // With the zero at the end, which the system wants.
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
