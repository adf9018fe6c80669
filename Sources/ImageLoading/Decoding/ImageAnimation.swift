public import Essentials
internal import ImageEffects
public import ImageFormats
public import Raster
internal import Synchronization

/// An animation, complete or still arriving, whose frames are decoded on request, from any task.
///
/// Previews and the final image share one animation, which grows until all bytes are there. Processed animations share
/// its decoder and encoded bytes.
public final class ImageAnimation: Sendable {
    private let frames: AnimationFrames
    private let decoding: PictureDecoding
    private let processors: [any ImageProcessing]

    private init(_ frames: AnimationFrames, _ decoding: PictureDecoding, _ processors: [any ImageProcessing]) {
        self.frames = frames
        self.decoding = decoding
        self.processors = processors
    }

    /// Creates an animation from a complete file.
    /// - Parameters:
    ///   - scale: Pixels per point of the frames.
    ///   - registry: The codecs that may decode it.
    /// - Throws: If not even the first frame can be decoded; later damage is reported in `error`.
    public convenience init(
        _ data: Data, options: DecodingOptions = DecodingOptions(), scale: Double = 1,
        registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(PictureDecoding(options: options, scale: scale, codecs: registry))
        do throws(ImageError) {
            try append(data, isLast: true)
        } catch {
            if durations.isEmpty { throw error }
        }
    }

    /// Creates an animation without bytes.
    convenience init(_ decoding: PictureDecoding) {
        self.init(AnimationFrames(decoding), decoding, [])
    }

    /// The file's header; nil until it has arrived.
    public var header: ImageHeader? { frames.facts.header }

    /// The size of the stored frames in pixels; nil until it is known. Thumbnails and processors may change that of the
    /// frames returned.
    public var size: PixelSize? { frames.facts.size }

    /// The total number of frames; nil until it is known.
    public var frameCount: Int? { frames.facts.frameCount }

    /// The durations of the frames that have arrived, in seconds.
    public var durations: [Double] { frames.facts.durations }

    /// How often the animation is played; 0 means endlessly.
    public var loopCount: Int { frames.facts.header?.sequence?.loopCount ?? 1 }

    /// Whether no more frames will arrive.
    public var isFinished: Bool { frames.facts.isFinished }

    /// The reason that frames are missing, once it is known.
    public var error: ImageError? { frames.facts.error }

    /// The maximum memory used, in bytes: the file, and canvases that the decoder keeps to reach other frames sooner.
    public var byteCount: Int { frames.facts.byteCount }

    /// Decodes and processes the composed frame at `index` on the calling thread.
    /// - Throws: `ImageError` with `invalidParameter` if the frame isn't there, or with the defect of its bytes; errors
    ///   of the processors.
    public func frame(at index: Int) throws -> Image { try decodedFrame(at: index) }

    /// Decodes and processes the composed frame at `index` on `ImageExecutor.shared`.
    /// - Throws: The same errors as the synchronous form.
    public func frame(at index: Int) async throws -> Image {
        try await withTaskExecutorPreference(ImageExecutor.shared) { try self.decodedFrame(at: index) }
    }

    /// The animation with `processor` applied to each frame when it is requested.
    public func processed(by processor: any ImageProcessing) -> ImageAnimation {
        ImageAnimation(frames, decoding, processors + [processor])
    }

    /// Limits the pixels that the decoder keeps, in bytes, from the next frame on.
    package func limitKeptPixels(byteCount: Int) { frames.wantedByteBudget.withLock { $0 = byteCount } }

    func decodedFrame(at index: Int) throws -> Image {
        try processors.reduce(decodedStoredFrame(at: index)) { try $1.process($0) }
    }

    /// The frame before any processors.
    func decodedStoredFrame(at index: Int) throws(ImageError) -> Image {
        let bitmap = try frames.frame(at: index)
        guard let header, let plan = try decoding.plan(for: header) else { return image(bitmap) }
        let region = try plan.decoding.region.map { (region) throws(ImageError) in try bitmap.cropped(to: region) }
        return try image(plan.apply(to: region ?? bitmap))
    }

    private func image(_ bitmap: Bitmap) -> Image {
        header.map { Image(bitmap, format: $0.format, scale: decoding.scale) } ?? Image(bitmap, scale: decoding.scale)
    }

    /// Appends the new bytes of `data`, which contains all bytes so far.
    /// - Throws: The defect that makes further bytes useless, which is also in `error`.
    @discardableResult
    func append(_ data: Data, isLast: Bool) throws(ImageError) -> [DecodingEvent] {
        try frames.append(data, isLast: isLast)
    }
}

extension ImageAnimation {
    /// Writes all frames that have arrived, processed, as `format`.
    /// - Parameter first: The first frame, upright.
    /// - Throws: `ImageError`, and errors of the processors.
    package func encode(
        as format: ImageFormat, options: EncodingOptions, codecs: CodecRegistry = .default, first: Bitmap,
        to output: any ByteSink
    ) throws {
        var options = options
        options.loopCount = loopCount
        let durations = durations
        var failure: (any Error)?
        do {
            try ImageDestination(format: format, options: options, registry: codecs).encode(
                count: durations.count, to: output
            ) {
                (index) throws(ImageError) in
                guard index > 0 else { return (first, durations[0]) }
                do {
                    return (try self.decodedFrame(at: index).bitmap(), durations[index])
                } catch let error as ImageError {
                    throw error
                } catch {
                    // A processor's own error, which the encoder can't rethrow.
                    failure = error
                    throw ImageError(.cancelled, "a processor failed")
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// The encoded file with all frames that have arrived, processed, in the format that `format` returns for the first
    /// frame.
    func encoded(
        _ options: EncodingOptions, _ codecs: CodecRegistry, format: (Bitmap) -> ImageFormat
    ) throws -> Data {
        let first = try decodedFrame(at: 0).bitmap()
        let output = ByteBuffer()
        try encode(as: format(first), options: options, codecs: codecs, first: first, to: output)
        return Data(output.bytes)
    }
}

/// The bytes and the decoder of an animation, shared by all its processed forms.
final class AnimationFrames: Sendable {
    struct Facts: Sendable {
        var header: ImageHeader?
        var size: PixelSize?
        var frameCount: Int?
        var durations: [Double] = []
        var isFinished = false
        var error: ImageError?
        /// The size of the file, and of the canvases that the decoder may keep.
        var byteCount = 0
    }

    private struct Input {
        let source: AnimatedImageSource
        /// The number of bytes passed to the source.
        var byteCount = 0
        var isFinished = false
    }

    /// Locked while a frame is decoded, as the decoder handles one at a time.
    private let input: Mutex<Input>
    /// Separate, so that readers never wait for a frame.
    private let known = Mutex(Facts())
    /// The new byte budget of the decoder's canvases, from the next frame on; nil for no change.
    let wantedByteBudget = Mutex<Int?>(nil)

    init(_ decoding: PictureDecoding) {
        let source = AnimatedImageSource(options: decoding.options, registry: decoding.codecs)
        input = Mutex(Input(source: source))
    }

    var facts: Facts { known.withLock { $0 } }

    func frame(at index: Int) throws(ImageError) -> Bitmap {
        try input.withLock { (input) throws(ImageError) in
            if let byteBudget = wantedByteBudget.withLock({ $0.take() }) { input.source.byteBudget = byteBudget }
            return try input.source.frame(at: index)
        }
    }

    /// Appends the new bytes of `data`, which contains all bytes so far.
    func append(_ data: Data, isLast: Bool) throws(ImageError) -> [DecodingEvent] {
        try input.withLock { (input) throws(ImageError) in
            guard !input.isFinished else { return [] }
            defer { publish(input) }
            var events: [DecodingEvent] = []
            if data.count > input.byteCount {
                let start = input.byteCount
                input.byteCount = data.count
                events = try input.source.append(data.bytes.extracting(start..<data.count))
            }
            if isLast {
                input.isFinished = true
                events += try input.source.finish()
            }
            return events
        }
    }

    private func publish(_ input: borrowing Input) {
        let source = input.source
        let canvasByteCount = Double(source.size?.pixelCount ?? 0) * 4 * Double(source.frames.count)
        let kept = Int(min(canvasByteCount, Double(AnimatedImageSource.defaultByteBudget)))
        let facts = Facts(
            header: source.header, size: source.size, frameCount: source.frameCount,
            durations: source.frames.map(\.duration), isFinished: input.isFinished || source.error != nil,
            error: source.error,
            byteCount: input.byteCount + kept)
        known.withLock { $0 = facts }
    }
}
