internal import CTesseraSystem

/// A process for risky work, with a socket to this process, shared memory, and a pipe that closes when this process ends.
/// It must confine itself (`Confinement`). It is killed and waited for when this value is destroyed.
package struct WorkerProcess: ~Copyable {
    /// The descriptors that a worker inherits, beside 1 and 2, which are redirected to /dev/null.
    package enum Files {
        /// Requests and replies.
        package static let conversation = CInt(TESSERA_WORKER_CONVERSATION)
        /// The shared memory.
        package static let memory = CInt(TESSERA_WORKER_MEMORY)
    }

    /// The socket for requests and replies.
    package let conversation: ConversationSocket
    /// The descriptor of the shared memory.
    package let memory: CInt
    private let lifeline: CInt
    private var child: ChildProcess

    /// Starts the program at `path` as a worker that shares `memoryByteCount` bytes of memory, whose size is sealed.
    /// - Throws: An error that `isLacking` where the system can't confine processes: everywhere but on Linux.
    package init(
        _ path: String, arguments: [String], environment: [String], memoryByteCount: Int
    ) throws(SystemError) {
        let words = CStrings([path] + arguments)
        let variables = CStrings(environment)
        var worker = tessera_worker()
        let status = words.withPointers { words in
            variables.withPointers { variables in
                tessera_start_worker(path, words, variables, Int64(memoryByteCount), &worker)
            }
        }
        guard status == 0 else { throw .last }
        conversation = ConversationSocket(worker.conversation)
        memory = worker.memory
        lifeline = worker.lifeline
        child = ChildProcess(worker.process)
    }

    deinit {
        // Killed first: its replies no longer matter.
        child.end()
        close(lifeline)
        close(memory)
    }

    /// The process's number.
    package var number: pid_t { child.number }

    /// Limits its further use of resources.
    /// - Parameters:
    ///   - processorSeconds: Processor time, beyond the time already used.
    ///   - addressByteCount: Address space in bytes; negative for no limit.
    package borrowing func limit(processorSeconds: Int, addressByteCount: Int) throws(SystemError) {
        guard tessera_limit_worker(child.number, Int64(processorSeconds), Int64(addressByteCount)) == 0 else {
            throw .last
        }
    }

    /// Kills it, after up to a second if it `isEnding` voluntarily, and returns how it ended.
    package mutating func end(isEnding: Bool) -> ChildProcess.Ending {
        if isEnding { _ = child.waitForEnd(centiseconds: 100) }
        child.end()
        return child.wait()
    }
}
