internal import Dispatch
internal import Platform

/// Handles Ctrl-C for work that must clean up.
enum Interruption {
    /// Runs `work` in a task that SIGINT and SIGTERM cancel; a second signal ends the process as usual.
    static func cancelling<T: Sendable>(_ work: @escaping @Sendable () async -> T) async -> T {
        let task = Task { await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                task.cancel()
            }
            source.resume()
            return source
        }
        let result = await task.value
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        return result
    }
}
