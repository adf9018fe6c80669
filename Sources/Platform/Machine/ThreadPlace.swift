internal import CTesseraSystem

/// A thread, and the number of the processor that it was on; negative where the system doesn't say.
package struct ThreadPlace: Sendable {
    private let thread: UInt
    package let processor: Int32

    /// The calling thread's.
    package init() { (thread, processor) = (tessera_thread(), tessera_processor()) }

    /// Moves the calling thread to another of its processors if it is another thread on this one's; where it can't, it stays. The
    /// thread itself lets those run that wait for its processor, so that they can leave.
    package func leave() {
        if tessera_thread() == thread { sched_yield() } else { tessera_leave_processor(processor) }
    }
}
