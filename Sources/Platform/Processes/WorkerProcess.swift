internal import CTesseraSystem

/// A process for work that may do harm: it has a conversation with this one, memory that both see, and a socket at whose end
/// its life ends. It is to confine itself (`Confinement`). It is ended with this value, and waited for.
package struct WorkerProcess: ~Copyable {
    /// What a worker finds open, beside 1 and 2, which lead nowhere.
    package enum Files {
        /// What it is asked, and what it answers.
        package static let conversation = CInt(TESSERA_WORKER_CONVERSATION)
        /// The memory.
        package static let memory = CInt(TESSERA_WORKER_MEMORY)
    }

    /// What is said.
    package let conversation: ConversationSocket
    /// Memory that both see.
    package let memory: FileDescriptor
    private let lifeline: ConversationSocket
    private var child: ChildProcess

    /// Starts the program at `path` as a worker that shares `memoryByteCount` bytes of memory, which on Linux nobody can make
    /// less.
    package init(
        _ path: String, arguments: [String], environment: [String], memoryByteCount: Int
    ) throws(SystemError) {
        let memory = try MemoryFile.open(byteCount: memoryByteCount)
        var (asked, alive): (CInt, CInt) = (-1, -1)
        let conversation = try ConversationSocket.makePair(&asked)
        // Only the worker keeps these open.
        let question = FileDescriptor(asked, name: path, isOwned: true)
        let lifeline = try ConversationSocket.makePair(&alive)
        let life = FileDescriptor(alive, name: path, isOwned: true)
        let child = try ChildProcess(
            path, arguments: arguments, environment: environment,
            files: [
                (question.number, Files.conversation), (life.number, CInt(TESSERA_WORKER_LIFELINE)),
                (memory.number, Files.memory),
            ], silent: [1, 2])
        self.conversation = conversation
        self.memory = memory
        self.lifeline = lifeline
        self.child = child
    }

    // It is told by its death first: what it would still say is of no use.
    deinit { child.end() }

    /// The system's number for the process.
    package var number: pid_t { child.number }

    /// Limits what it may take from now on, on Linux; elsewhere this throws an error that `isLacking`.
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
