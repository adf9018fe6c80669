public import ImageFormats
internal import Platform
internal import Raster
internal import Synchronization

/// Decodes pictures in processes that have nothing to lose: what a file does to a decoder costs that picture alone.
///
/// A worker, the program `tessera-decode`, sees the bytes that it is handed and memory to put rows into. The system keeps
/// it from everything else: it opens no file, has no network, starts no program and no process, makes no memory
/// executable, and is held to limits of processor time and memory. Where it crashes, hangs or says what can't be, the
/// picture ends with an error (`workerFailed`, or `limitExceeded` for time), and the next gets a new worker.
///
/// Pixels are the same as without, rows come as they do elsewhere, and nothing else changes for who decodes with `registry`:
///
/// ```swift
/// CodecRegistry.default = try IsolatedDecoding().registry
/// ```
///
/// What remains in this process: telling formats apart by their first bytes, and writing. SVG is drawn by a program of its
/// own anyway. Profiles are converted to sRGB by the worker; who asks for pixels as stored gets the profile's bytes.
/// Linux on x86-64 and AArch64.
public final class IsolatedDecoding: Sendable {
    /// What workers may take.
    public struct Options: Hashable, Sendable {
        /// How long one picture may keep a processor busy, in seconds.
        public var processorSeconds: Int
        /// How long to wait for one answer, in seconds: for a strip of rows, or for all of a picture that its library
        /// decodes in one go.
        public var answerSeconds: Int
        /// How many pictures a worker decodes before it is replaced. What an attacker may have put into one then goes.
        public var picturesPerWorker: Int

        /// A minute of processor time, two minutes for an answer, 64 pictures.
        public init(processorSeconds: Int = 60, answerSeconds: Int = 120, picturesPerWorker: Int = 64) {
            self.processorSeconds = processorSeconds
            self.answerSeconds = answerSeconds
            self.picturesPerWorker = picturesPerWorker
        }
    }

    /// What workers may take.
    public let options: Options
    private let path: String
    private let arguments: [String]
    private let state = Mutex(State())

    private struct State {
        var idle: [DecodingLibrary: [DecodingWorkerProcess]] = [:]
        var startedCount = 0
    }

    /// Workers that are started as they are needed, by the program `tessera-decode`: beside the one that runs, in
    /// `../libexec/tessera` from there, or at the path that the environment's TESSERA_DECODE_WORKER says.
    /// - Throws: `unsupported` where it isn't there, or where the system can't confine processes.
    public convenience init(options: Options = Options()) throws(ImageError) {
        guard Confinement.isPossible else { throw DecodingWorkerProcess.unconfined }
        guard let path = InstalledProgram.path("tessera-decode", variable: "TESSERA_DECODE_WORKER") else {
            throw ImageError(
                .unsupported, "pictures can't be decoded in isolation: the program tessera-decode isn't beside this one"
            )
        }
        self.init(worker: path, options: options)
    }

    /// Workers of another program, which gets `arguments` after its own. Each picture fails (`unsupported`) where the system
    /// can't confine processes.
    package init(worker path: String, arguments: [String] = [], options: Options = Options()) {
        self.path = path
        self.arguments = arguments
        self.options = options
    }

    /// The codecs that are built in, their decoders in workers.
    public var registry: CodecRegistry {
        let builtIn = CodecRegistry.builtIn
        return CodecRegistry(
            builtIn.formats.compactMap { builtIn.codec(for: $0) }.map { codec in
                codec.format == .svg ? codec : IsolatedCodec(codec, isolation: self)
            })
    }

    /// How many workers were started.
    package var startedWorkerCount: Int { state.withLock { $0.startedCount } }
    /// How many workers wait for the next picture.
    package var idleWorkerCount: Int { state.withLock { $0.idle.values.reduce(0) { $0 + $1.count } } }

    /// Addresses for the program, its libraries and its threads' stacks.
    private static let programByteCount = 1 << 30

    /// Begins with a picture of `format` in a worker that has none.
    func begin(_ beginning: Request.Beginning, format: ImageFormat) throws(ImageError) -> IsolatedSession {
        let library = DecodingLibrary(for: format)
        let worker = try takeWorker(for: library)
        let limits = beginning.options.limits
        let input = min(beginning.totalByteCount ?? .max, limits.maximumInputByteCount)
        let (held, heldOverflows) = input.addingReportingOverflow(limits.maximumWorkingByteCount)
        let (total, overflows) = held.addingReportingOverflow(Self.programByteCount)
        try worker.beginPicture(
            processorSeconds: options.processorSeconds, addressByteCount: heldOverflows || overflows ? -1 : total)
        return try IsolatedSession(worker, beginning) { self.give($0, library) }
    }

    private func takeWorker(for library: DecodingLibrary) throws(ImageError) -> DecodingWorkerProcess {
        guard Confinement.isPossible else { throw DecodingWorkerProcess.unconfined }
        while let worker = state.withLock({ $0.idle[library]?.popLast() }) {
            if worker.isQuiet { return worker }
        }
        let worker = try DecodingWorkerProcess(
            path, arguments: [library.rawValue] + arguments, seconds: options.answerSeconds)
        state.withLock { $0.startedCount += 1 }
        return worker
    }

    /// Keeps a worker for the next picture, unless it has had enough of them.
    private func give(_ worker: DecodingWorkerProcess, _ library: DecodingLibrary) {
        guard worker.pictureCount < options.picturesPerWorker, worker.hasFirstSize else { return }
        let surplus = state.withLock { state -> DecodingWorkerProcess? in
            state.idle[library, default: []].append(worker)
            let count = state.idle[library, default: []].count
            return count > ImageExecutor.processorCount ? state.idle[library]?.removeFirst() : nil
        }
        // It ends here, where the lock isn't held.
        withExtendedLifetime(surplus) {}
    }
}
