internal import CTesseraSystem
internal import ImageFormats
internal import Platform
internal import Raster

/// A worker: its process, the conversation with it, and the memory that both see. The process ends with this object.
///
/// Unchecked: one session has it at a time; `IsolatedDecoding` hands it from one to the next under a lock.
final class DecodingWorkerProcess: @unchecked Sendable {
    /// The library that it has loaded.
    let library: DecodingLibrary
    /// Pictures that it was given.
    private(set) var pictureCount = 0

    private let worker: tessera_worker
    private let seconds: Int
    private var base: UnsafeMutableRawPointer
    private var byteCount: Int
    private var failure: ImageError?
    private var isReaped = false
    private var processorSeconds = 0

    /// A message is never longer: metadata has limits of its own.
    private static let maximumMessageByteCount = 1 << 28

    /// Starts the program at `path`.
    init(
        _ path: String, arguments: [String], library: DecodingLibrary, seconds: Int
    ) throws(ImageError) {
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        // Nothing of the environment but what makes the process small and quiet: Swift would start a program to describe
        // a crash, and each of the C library's arenas takes 64 MB of addresses.
        let entries = ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=2"]
        var environment: [UnsafeMutablePointer<CChar>?] = entries.map { strdup($0) } + [nil]
        defer { for entry in environment { free(entry) } }
        var worker = tessera_worker()
        let status = tessera_start_worker(path, &words, &environment, Int64(SharedLayout.byteCount), &worker)
        guard status == 0 else {
            throw ImageError(.inputOutput, "\(path) can't be started: \(String(cString: strerror(errno)))")
        }
        guard let base = SharedLayout.map(worker.memory, SharedLayout.byteCount) else {
            Self.end(worker)
            throw ImageError(.outOfMemory, "no memory to share with \(path)")
        }
        self.base = base
        self.worker = worker
        self.library = library
        self.seconds = seconds
        byteCount = SharedLayout.byteCount
    }

    deinit {
        munmap(base, byteCount)
        if !isReaped { kill(worker.process, SIGKILL) }
        close(worker.conversation)
        close(worker.lifeline)
        close(worker.memory)
        if !isReaped { Self.reap(worker.process) }
    }

    private static func end(_ worker: tessera_worker) {
        kill(worker.process, SIGKILL)
        for file in [worker.conversation, worker.lifeline, worker.memory] { close(file) }
        reap(worker.process)
    }

    @discardableResult
    private static func reap(_ process: CInt) -> CInt {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Whether it is there and has nothing to say, as it should be between pictures.
    var isQuiet: Bool {
        var files = pollfd(fd: worker.conversation, events: Int16(POLLIN), revents: 0)
        return failure == nil && poll(&files, 1, 0) == 0
    }

    /// Whether the shared memory is as large as at first.
    var hasFirstSize: Bool { failure == nil && byteCount == SharedLayout.byteCount }

    /// The process, for tests.
    var process: CInt { worker.process }

    /// Counts a picture, and limits what the process may take for it.
    func beginPicture(processorSeconds: Int, addressByteCount: Int) throws(ImageError) {
        pictureCount += 1
        self.processorSeconds = processorSeconds
        guard tessera_limit_worker(worker.process, Int64(processorSeconds), Int64(addressByteCount)) == 0 else {
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
        guard ftruncate(worker.memory, off_t(needed)) == 0, let larger = SharedLayout.map(worker.memory, needed) else {
            throw ImageError(.outOfMemory, "no memory for a row of \(bytesPerRow) bytes")
        }
        munmap(base, byteCount)
        (base, byteCount) = (larger, needed)
        _ = try ask(.share(byteCount: needed))
    }

    /// Copies the `count` rows that the worker has put there into `rows`, from row `first` on. Whatever the worker does to
    /// them meanwhile, they are read once.
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
        let bytes = MessageFrame.framed(request.message)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(
                    worker.conversation, buffer.baseAddress! + sent, buffer.count - sent,
                    CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fail() }
            sent += count
        }
    }

    /// Asks, and waits for the answer: a message that may be anything.
    func ask(_ request: Request) throws(ImageError) -> [UInt8] {
        try tell(request)
        let deadline = Self.milliseconds + 1000 * seconds
        let count = MessageFrame.byteCount(head: try receive(MessageFrame.headByteCount, until: deadline))
        guard count <= Self.maximumMessageByteCount else { throw fail(MessageReader.failure) }
        return try receive(count, until: deadline)
    }

    /// Exactly `count` bytes. Memory is taken as they come, whatever was announced.
    private func receive(_ count: Int, until deadline: Int) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(count, 1 << 16))
        while bytes.count < count {
            var files = pollfd(fd: worker.conversation, events: Int16(POLLIN), revents: 0)
            let ready = poll(&files, 1, CInt(clamping: max(0, deadline - Self.milliseconds)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                throw fail(
                    ImageError(
                        .limitExceeded,
                        "the process that decodes the picture gave no answer for \(seconds) s and was ended"))
            }
            let wanted = min(piece.count, count - bytes.count)
            let received = piece.withUnsafeMutableBytes { recv(worker.conversation, $0.baseAddress, wanted, 0) }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else { throw fail() }
            bytes.append(contentsOf: piece[..<received])
        }
        return bytes
    }

    /// Ends the process, of which nothing good will come any more, and remembers why.
    @discardableResult
    func fail(_ reason: ImageError? = nil) -> ImageError {
        if let failure { return failure }
        // One that ended by itself keeps the reason for that.
        if reason != nil { kill(worker.process, SIGKILL) } else { waitForEnd() }
        kill(worker.process, SIGKILL)
        let status = Self.reap(worker.process)
        isReaped = true
        let error = reason ?? describe(status)
        failure = error
        return error
    }

    /// Waits a moment for a process that has closed the conversation.
    private func waitForEnd() {
        var information = siginfo_t()
        for _ in 0..<100 {
            information.si_signo = 0
            let result = waitid(P_PID, id_t(worker.process), &information, WEXITED | WNOHANG | WNOWAIT)
            if result != 0 || information.si_signo != 0 { return }
            usleep(10_000)
        }
    }

    private func describe(_ status: CInt) -> ImageError {
        let signal = status & 0x7F
        switch signal {
        case 0 where status >> 8 & 0xFF == Reply.unconfinedStatus:
            return ImageError(
                .unsupported, "pictures can't be decoded in isolation: the system can't confine processes (seccomp)")
        case 0:
            return ImageError(
                .workerFailed, "the process that decodes the picture ended with status \(status >> 8 & 0xFF)")
        case SIGXCPU:
            return ImageError(
                .limitExceeded, "the picture takes more than \(processorSeconds) s of processor time to decode")
        case SIGSYS:
            return ImageError(
                .workerFailed, "the process that decodes the picture did what it may not, and was ended by the system")
        default:
            return ImageError(
                .workerFailed,
                "the process that decodes the picture ended with signal \(signal) (\(String(cString: strsignal(signal)))): "
                    + "the picture breaks the decoder, or takes more memory than it may")
        }
    }

    private static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
