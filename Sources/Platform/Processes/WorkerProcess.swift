internal import CTesseraSystem

/// A process for risky work, with a socket to this process, shared memory, and a second socket that closes when this process
/// ends. It must confine itself (`Confinement`). It is killed and waited for when this value is destroyed.
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
    /// The shared memory.
    package let memory: FileDescriptor
    private let lifeline: ConversationSocket
    private var child: ChildProcess

    /// Starts the program at `path` as a worker that shares `memoryByteCount` bytes of memory, whose size is sealed on Linux.
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

    // Killed first: its replies no longer matter.
    deinit { child.end() }

    /// The process's number.
    package var number: pid_t { child.number }

    /// Limits its further use of resources, on Linux; elsewhere this throws an error that `isLacking`.
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
