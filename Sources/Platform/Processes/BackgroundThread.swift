/// A thread for work that waits outside of Swift's pool of threads.
package enum BackgroundThread {
    /// Starts a thread that runs `body`, and blocks all signals, which other threads receive.
    /// - Returns: False if the system can't start another thread.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        // A thread inherits its starter's mask.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let status = pthread_create(
            &thread, nil,
            { argument in
                // Balances passRetained; the pointer was given to this thread alone.
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

    /// A thread's work, as an object that a pointer can pass on.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
