public import ImageFormats
internal import Platform
internal import Raster
internal import Synchronization

/// Decodes images in processes without privileges: a file that attacks a decoder affects only that image.
///
/// A worker, the program `tessera-decode`, has access to the bytes it receives and to memory for rows. The system
/// denies it everything else: it can't open files, use the network, start programs or processes, or make memory
/// executable, and its processor time and memory are limited. If it crashes, hangs or sends an invalid reply, the image
/// fails with an error (`workerFailed`, or `limitExceeded` for time), and the next image gets a new worker.
///
/// Pixels are identical to those decoded in this process, and the API stays the same; set `registry` once:
///
/// ```swift
/// CodecRegistry.default = try IsolatedDecoding().registry
/// ```
///
/// This process still identifies formats by their first bytes, and encodes. SVG and PDF always have a separate process. The
/// worker converts profiles to sRGB; pixels requested as stored come with the profile's bytes. Requires Linux on x86-64
/// or AArch64.
public final class IsolatedDecoding: Sendable {
    /// The limits of workers.
    public struct Options: Hashable, Sendable {
        /// The processor time for one image, in seconds.
        public var processorSeconds: Int
        /// The time to wait for one reply, in seconds: for a strip of rows, or for the whole image if its library
        /// decodes it in one call.
        public var answerSeconds: Int
        /// The number of images that a worker decodes before it is replaced, which removes anything an attacker left
        /// there.
        public var picturesPerWorker: Int

        /// Creates limits; by default 60 s of processor time, 120 s for a reply, and 64 images.
        public init(processorSeconds: Int = 60, answerSeconds: Int = 120, picturesPerWorker: Int = 64) {
            self.processorSeconds = processorSeconds
            self.answerSeconds = answerSeconds
            self.picturesPerWorker = picturesPerWorker
        }
    }

    /// The limits of workers.
    public let options: Options
    private let path: String
    private let arguments: [String]
    private let state = Mutex(State())

    private struct State {
        var idle: [DecodingLibrary: [DecodingWorkerProcess]] = [:]
        var startedCount = 0
    }

    /// Creates a decoder whose workers run `tessera-decode`, started as needed. The program is looked up at the path in
    /// the environment variable `TESSERA_DECODE_WORKER`, beside this program, and in `../libexec/tessera` relative to
    /// it.
    /// - Throws: `unsupported` if the program isn't found or the system can't confine processes.
    public convenience init(options: Options = Options()) throws(ImageError) {
        guard Confinement.isPossible else { throw DecodingWorkerProcess.unconfined }
        guard let path = InstalledProgram.path("tessera-decode", variable: "TESSERA_DECODE_WORKER") else {
            throw ImageError(
                .unsupported,
                "images can't be decoded in isolation: the program tessera-decode isn't beside this one; install it there"
            )
        }
        self.init(worker: path, options: options)
    }

    /// Creates a decoder whose workers run the program at `path` with `arguments` after its own. Each image fails with
    /// `unsupported` if the system can't confine processes.
    package init(worker path: String, arguments: [String] = [], options: Options = Options()) {
        self.path = path
        self.arguments = arguments
        self.options = options
    }

    /// Formats whose library reads beyond its memory for some damaged files; Tessera's programs isolate them unless told
    /// otherwise.
    public static let formatsAtRisk: [ImageFormat] = [.jpeg2000, .jpeg2000Codestream]

    /// The built-in codecs, with their decoders in workers.
    public var registry: CodecRegistry { registry(isolating: CodecRegistry.builtIn.formats) }

    /// The built-in codecs, with the decoders of `formatsAtRisk` in workers; nil where there can be no workers.
    package static var registryForPrograms: CodecRegistry? {
        (try? IsolatedDecoding())?.registry(isolating: formatsAtRisk)
    }

    /// The built-in codecs, with the decoders of these formats in workers.
    public func registry(isolating formats: [ImageFormat]) -> CodecRegistry {
        let builtIn = CodecRegistry.builtIn
        return CodecRegistry(
            builtIn.formats.compactMap { builtIn.codec(for: $0) }.map { codec in
                codec is any SelfIsolating || !formats.contains(codec.format)
                    ? codec : IsolatedCodec(codec, isolation: self)
            })
    }

    /// The number of workers started so far.
    package var startedWorkerCount: Int { state.withLock { $0.startedCount } }
    /// The number of workers that wait for an image.
    package var idleWorkerCount: Int { state.withLock { $0.idle.values.reduce(0) { $0 + $1.count } } }

    /// Address space for the program, its libraries and its threads' stacks.
    private static let programByteCount = 1 << 30

    /// Begins an image of `format` in an idle or new worker.
    func begin(_ beginning: Request.Beginning, format: ImageFormat) throws(ImageError) -> IsolatedSession {
        let library = DecodingLibrary(for: format)
        let worker = try takeWorker(for: library)
        let limits = beginning.options.limits
        let input = min(beginning.totalByteCount ?? .max, limits.maximumInputByteCount)
        let (held, heldOverflows) = input.addingReportingOverflow(limits.maximumWorkingByteCount)
        let (total, overflows) = held.addingReportingOverflow(Self.programByteCount)
        try worker.beginPicture(
            processorSeconds: options.processorSeconds, addressByteCount: heldOverflows || overflows ? -1 : total)
        // Workers side by side divide the processors for as long as their images take.
        let share = ProcessorShare()
        try worker.tell(.processors(share.threadCount))
        return try IsolatedSession(worker, beginning) { worker in
            withExtendedLifetime(share) { self.give(worker, library) }
        }
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

    /// Keeps a worker for the next image unless it has decoded its maximum.
    private func give(_ worker: DecodingWorkerProcess, _ library: DecodingLibrary) {
        guard worker.pictureCount < options.picturesPerWorker, worker.hasFirstSize else { return }
        let surplus = state.withLock { state -> DecodingWorkerProcess? in
            state.idle[library, default: []].append(worker)
            let count = state.idle[library, default: []].count
            return count > ImageExecutor.processorCount ? state.idle[library]?.removeFirst() : nil
        }
        // The surplus worker ends here, after the lock was released.
        withExtendedLifetime(surplus) {}
    }
}
