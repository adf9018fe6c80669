internal import Platform
internal import Raster

/// A worker process, the connection to it, and the memory shared with it. The process ends with this object.
///
/// Unchecked: one session uses it at a time, and it is passed to the next session under a lock.
package final class DecodingWorkerProcess: @unchecked Sendable {
    /// The number of images that the process has been given.
    package private(set) var pictureCount = 0

    private var worker: WorkerProcess
    private let seconds: Int
    private var base: UnsafeMutableRawPointer
    private var byteCount: Int
    private var failure: ImageError?
    private var processorSeconds: Int
    private let crashCode: ImageError.Code

    /// More than thirty years, which is effectively unlimited.
    private static let maximumSeconds = 1_000_000_000
    /// The maximum length of a message in bytes. Metadata has separate limits.
    private static let maximumMessageByteCount = 1 << 28

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - environment: The names of environment variables that the process inherits.
    ///   - processorSeconds: The program's own limit on processor time, for error messages.
    ///   - seconds: The time limit for each reply.
    ///   - crashCode: The error code if a signal ends the process.
    /// - Throws: `inputOutput` if the program can't be started, `outOfMemory`.
    package init(
        _ path: String, arguments: [String], environment names: [String] = [], processorSeconds: Int = 0, seconds: Int,
        crashCode: ImageError.Code = .workerFailed
    ) throws(ImageError) {
        // A minimal environment that keeps the process small and quiet: Swift would start a program to describe a
        // crash, and each of the C library's arenas reserves 64 MB of address space.
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

    /// The error for a system that can't confine processes.
    package static var unconfined: ImageError {
        ImageError(
            .unsupported,
            "images can't be decoded in isolation: the system can't confine processes; seccomp is required")
    }

    /// Whether the process is running and has sent nothing, as expected between images.
    package var isQuiet: Bool { failure == nil && worker.conversation.isQuiet }

    /// Whether the shared memory still has its initial size.
    package var hasFirstSize: Bool { failure == nil && byteCount == SharedLayout.byteCount }

    /// The process identifier, for tests.
    var process: CInt { worker.number }

    /// Counts an image, and limits the resources that the process may use for it (Linux only).
    /// - Parameters:
    ///   - processorSeconds: Processor time, in addition to the time already used.
    ///   - addressByteCount: The limit of the address space in bytes; negative for no limit.
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

    /// Copies bytes to the input area of the shared memory.
    func putInput(_ bytes: RawSpan) {
        precondition(bytes.byteCount <= SharedLayout.inputByteCount)
        // The mapping begins with an input area of at least this size.
        bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            base.copyMemory(from: start, byteCount: source.count)
        }
    }

    /// The size of the shared memory's row area in bytes.
    var rowsByteCount: Int { byteCount - SharedLayout.inputByteCount }

    /// Enlarges the shared memory to hold at least one row of `bytesPerRow` bytes.
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

    /// Copies `count` rows from the shared memory into `rows`, from row `first` on. Reads each byte only once, as the
    /// worker may change it at any time.
    func copyRows(_ count: Int, of info: BitmapInfo, into rows: inout MutablePixelRows, at first: Int)
        throws(ImageError)
    {
        guard let stride = SharedLayout.bytesPerRow(info), count >= 0, count <= rowsByteCount / stride,
            rows.format == info.format, rows.width == info.size.width, count <= rows.count - first
        else { throw MessageReader.failure }
        // Within the mapping by the check above; it lives as long as self.
        let owner = self
        rows.copy(
            PixelRows(
                unsafe: base + SharedLayout.inputByteCount, format: info.format, width: info.size.width, count: count,
                bytesPerRow: stride, owner: owner),
            at: first)
    }

    // MARK: Conversation

    /// Sends a request that has no reply.
    package func tell(_ request: Request) throws(ImageError) {
        if let failure { throw failure }
        guard worker.conversation.sendAll(MessageFrame.framed(request.message)) else { throw fail() }
    }

    /// Sends a request and waits for the reply, whose content isn't trusted.
    func ask(_ request: Request) throws(ImageError) -> [UInt8] {
        try tell(request)
        let deadline = MonotonicClock.milliseconds + 1000 * seconds
        let count = MessageFrame.byteCount(head: try receive(MessageFrame.headByteCount, until: deadline))
        guard count <= Self.maximumMessageByteCount else { throw fail(MessageReader.failure) }
        return try receive(count, until: deadline)
    }

    /// Receives exactly `count` bytes. Memory grows as they arrive, regardless of the announced length.
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
                        "decoder process gave no answer for \(seconds) s and was ended"))
            }
        }
        return bytes
    }

    /// Ends the process, which can't be used again, and records the reason.
    @discardableResult
    func fail(_ reason: ImageError? = nil) -> ImageError {
        if let failure { return failure }
        // Without a given reason, the process is ending on its own, and its exit status is the reason.
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
            return ImageError(.workerFailed, "decoder process ended with status \(status)")
        case .signalled(SIGXCPU):
            return ImageError(
                .limitExceeded, "decoding takes too long: the limit is \(processorSeconds) s of processor time")
        case .signalled(SIGSYS):
            return ImageError(
                .workerFailed, "decoder process made a forbidden system call and was ended")
        case .signalled(let signal):
            return ImageError(
                crashCode,
                "decoder process ended with signal \(signal) (\(String(cString: strsignal(signal)))): "
                    + "the image crashes the decoder or exceeds its memory limit")
        }
    }
}
