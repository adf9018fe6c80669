internal import CTesseraSystem

/// A process for work that may do harm: it has a conversation with this one, memory that both see, and a pipe at whose end
/// its life ends. It is to confine itself (`Confinement`). It is ended with this value, and waited for.
package struct WorkerProcess: ~Copyable {
    /// What a worker finds open, beside 1 and 2, which lead nowhere.
    package enum Files {
        /// What it is asked, and what it answers.
        package static let conversation = CInt(TESSERA_WORKER_CONVERSATION)
        /// Memory that both see.
        package static let memory = CInt(TESSERA_WORKER_MEMORY)
    }

    /// What is said.
    package let conversation: ConversationSocket
    /// The system's number for the memory that both see.
    package let memory: CInt
    private let lifeline: CInt
    private var child: ChildProcess

    /// Starts the program at `path` as a worker that shares `memoryByteCount` bytes of memory, which nobody can make less.
    /// - Throws: An error that `isLacking` where the system couldn't confine it: elsewhere than on Linux.
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
        // It is told by its death first: what it would still say is of no use.
        child.end()
        close(lifeline)
        close(memory)
    }

    /// The system's number for the process.
    package var number: pid_t { child.number }

    /// Limits what it may take from now on.
    /// - Parameters:
    ///   - processorSeconds: Time of the processor beyond what it took.
    ///   - addressByteCount: Addresses, in bytes; below 0 for no limit.
    package borrowing func limit(processorSeconds: Int, addressByteCount: Int) throws(SystemError) {
        guard tessera_limit_worker(child.number, Int64(processorSeconds), Int64(addressByteCount)) == 0 else {
            throw .last
        }
    }

    /// Ends it now, or where it `isEnding` by itself gives it a second for that, and says how it ended.
    package mutating func end(isEnding: Bool) -> ChildProcess.Ending {
        if isEnding { _ = child.waitForEnd(centiseconds: 100) }
        child.end()
        return child.wait()
    }
}
