internal import Platform
internal import Raster

/// A worker: its process, the conversation with it, and the memory that both see. The process ends with this object.
///
/// Unchecked: one session has it at a time, and who keeps it for the next one hands it on under a lock.
package final class DecodingWorkerProcess: @unchecked Sendable {
    /// Pictures that it was given.
    package private(set) var pictureCount = 0

    private var worker: WorkerProcess
    private let seconds: Int
    private var base: UnsafeMutableRawPointer
    private var byteCount: Int
    private var failure: ImageError?
    private var processorSeconds: Int
    private let crashCode: ImageError.Code

    /// More than thirty years: as good as without a limit.
    private static let maximumSeconds = 1_000_000_000
    /// A message is never longer: metadata has limits of its own.
    private static let maximumMessageByteCount = 1 << 28

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - environment: The variables of this process that it gets, where they are set.
    ///   - processorSeconds: How long the program lets itself keep a processor busy, for messages.
    ///   - seconds: How long to wait for an answer.
    ///   - crashCode: What a signal that ends it means.
    /// - Throws: `inputOutput` where it can't be started, `outOfMemory`.
    package init(
        _ path: String, arguments: [String], environment names: [String] = [], processorSeconds: Int = 0, seconds: Int,
        crashCode: ImageError.Code = .workerFailed
    ) throws(ImageError) {
        // Little of the environment, and what makes the process small and quiet: Swift would start a program to
        // describe a crash, and each of the C library's arenas takes 64 MB of addresses.
        let environment =
            ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=2"]
            + names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        let worker: WorkerProcess
        do throws(SystemError) {
            worker = try WorkerProcess(
                path, arguments: arguments, environment: environment, memoryByteCount: SharedLayout.byteCount)
        } catch {
            throw ImageError(.inputOutput, "\(path) can't be started: \(error)")
        }
        guard let base = SharedLayout.map(worker.memory.number, SharedLayout.byteCount) else {
            throw ImageError(.outOfMemory, "no memory to share with \(path)")
        }
        self.base = base
        self.worker = worker
        self.processorSeconds = processorSeconds
        self.seconds = min(seconds, Self.maximumSeconds)
        self.crashCode = crashCode
        byteCount = SharedLayout.byteCount
    }

    deinit { munmap(base, byteCount) }

    /// What is wrong where processes can't be kept from anything.
    package static var unconfined: ImageError {
        ImageError(
            .unsupported, "pictures can't be decoded in isolation: the system can't confine processes (seccomp)")
    }

    /// Whether it is there and has nothing to say, as it should be between pictures.
    package var isQuiet: Bool { failure == nil && worker.conversation.isQuiet }

    /// Whether the shared memory is as large as at first.
    package var hasFirstSize: Bool { failure == nil && byteCount == SharedLayout.byteCount }

    /// The process, for tests.
    var process: CInt { worker.number }

    /// Counts a picture, and limits what the process may take for it, on Linux.
    /// - Parameters:
    ///   - processorSeconds: Time of the processor beyond what it took.
    ///   - addressByteCount: Addresses, in bytes; below 0 for no limit.
    package func beginPicture(processorSeconds: Int, addressByteCount: Int) throws(ImageError) {
        pictureCount += 1
        self.processorSeconds = processorSeconds
        do throws(SystemError) {
            try worker.limit(processorSeconds: processorSeconds, addressByteCount: addressByteCount)
        } catch {
            throw fail()
        }
    }

    // MARK: Memory

    /// Puts bytes where the worker takes them from.
    func putInput(_ bytes: RawSpan) {
        precondition(bytes.byteCount <= SharedLayout.inputByteCount)
        // Within the mapping, which begins with room for so many.
        bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            base.copyMemory(from: start, byteCount: source.count)
        }
    }

    /// What there is for rows, in bytes.
    var rowsByteCount: Int { byteCount - SharedLayout.inputByteCount }

    /// Makes room for at least one row of `bytesPerRow` bytes.
    func makeRoom(forRow bytesPerRow: Int) throws(ImageError) {
        if let failure { throw failure }
        guard bytesPerRow > rowsByteCount else { return }
        let needed = SharedLayout.inputByteCount + bytesPerRow
        guard ftruncate(worker.memory.number, off_t(needed)) == 0,
            let larger = SharedLayout.map(worker.memory.number, needed)
        else {
            throw ImageError(.outOfMemory, "no memory for a row of \(bytesPerRow) bytes")
        }
        munmap(base, byteCount)
        (base, byteCount) = (larger, needed)
        _ = try ask(.share(byteCount: needed))
    }

    /// Copies the `count` rows that the worker has put there into `rows`, from row `first` on. Whatever the worker does
    /// to them meanwhile, they are read once.
    func copyRows(_ count: Int, of info: BitmapInfo, into rows: inout MutablePixelRows, at first: Int)
        throws(ImageError)
    {
        guard let stride = SharedLayout.bytesPerRow(info), count >= 0, count <= rowsByteCount / stride,
            rows.format == info.format, rows.width == info.size.width, count <= rows.count - first
        else { throw MessageReader.failure }
        // Within the mapping by the line above; it stays while self does.
        let owner = self
        rows.copy(
            PixelRows(
                unsafe: base + SharedLayout.inputByteCount, format: info.format, width: info.size.width, count: count,
                bytesPerRow: stride, owner: owner),
            at: first)
    }

    // MARK: Conversation

    /// Says something that isn't answered.
    func tell(_ request: Request) throws(ImageError) {
        if let failure { throw failure }
        guard worker.conversation.sendAll(MessageFrame.framed(request.message)) else { throw fail() }
    }

    /// Asks, and waits for the answer: a message that may be anything.
    func ask(_ request: Request) throws(ImageError) -> [UInt8] {
        try tell(request)
        let deadline = MonotonicClock.milliseconds + 1000 * seconds
        let count = MessageFrame.byteCount(head: try receive(MessageFrame.headByteCount, until: deadline))
        guard count <= Self.maximumMessageByteCount else { throw fail(MessageReader.failure) }
        return try receive(count, until: deadline)
    }

    /// Exactly `count` bytes. Memory is taken as they come, whatever was announced.
    private func receive(_ count: Int, until deadline: Int) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(count, 1 << 16))
        while bytes.count < count {
            let wanted = min(piece.count, count - bytes.count)
            // Used within the call only.
            let arrival = piece.withUnsafeMutableBytes {
                worker.conversation.receive(
                    into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]), until: deadline)
            }
            switch arrival {
            case .bytes(let received): bytes.append(contentsOf: piece[..<received])
            case .ended: throw fail()
            case .nothing:
                throw fail(
                    ImageError(
                        .limitExceeded,
                        "the process that decodes the picture gave no answer for \(seconds) s and was ended"))
            }
        }
        return bytes
    }

    /// Ends the process, of which nothing good will come any more, and remembers why.
    @discardableResult
    func fail(_ reason: ImageError? = nil) -> ImageError {
        if let failure { return failure }
        // One that ended by itself keeps the reason for that.
        let ending = worker.end(isEnding: reason == nil)
        let error = reason ?? describe(ending)
        failure = error
        return error
    }

    private func describe(_ ending: ChildProcess.Ending) -> ImageError {
        switch ending {
        case .exited(Reply.unconfinedStatus):
            return Self.unconfined
        case .exited(let status):
            return ImageError(.workerFailed, "the process that decodes the picture ended with status \(status)")
        case .signalled(SIGXCPU):
            return ImageError(
                .limitExceeded, "the picture takes more than \(processorSeconds) s of processor time to decode")
        case .signalled(SIGSYS):
            return ImageError(
                .workerFailed, "the process that decodes the picture did what it may not, and was ended by the system")
        case .signalled(let signal):
            return ImageError(
                crashCode,
                "the process that decodes the picture ended with signal \(signal) (\(String(cString: strsignal(signal)))): "
                    + "the picture breaks the decoder, or takes more memory than it may")
        }
    }
}
