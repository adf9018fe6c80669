public import Essentials
internal import ImageEffects
public import ImageFormats
public import Raster
internal import Synchronization

/// An animation that arrived, or is arriving: its frames, decoded when they are asked for, by any task.
///
/// Previews and the final picture share one, which grows until all bytes are there. What processors make of it shares the
/// decoder and the encoded bytes.
public final class ImageAnimation: Sendable {
    private let frames: AnimationFrames
    private let decoding: PictureDecoding
    private let processors: [any ImageProcessing]

    private init(_ frames: AnimationFrames, _ decoding: PictureDecoding, _ processors: [any ImageProcessing]) {
        self.frames = frames
        self.decoding = decoding
        self.processors = processors
    }

    /// The animation in `data`, which is everything.
    /// - Parameters:
    ///   - scale: Pixels per point of the frames.
    ///   - registry: The codecs by which it may be decoded.
    /// - Throws: What keeps even the first frame from being there; what is wrong behind it is in `error`.
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

    /// An animation without a byte yet.
    convenience init(_ decoding: PictureDecoding) {
        self.init(AnimationFrames(decoding), decoding, [])
    }

    /// What the file says of the animation; nil until that is known.
    public var header: ImageHeader? { frames.facts.header }

    /// Width and height of the frames in pixels, as the file has them; nil until that is known. Thumbnails and processors
    /// make other sizes of it.
    public var size: PixelSize? { frames.facts.size }

    /// How many frames there are in all; nil while that isn't known.
    public var frameCount: Int? { frames.facts.frameCount }

    /// How long each frame that is there is shown, in seconds.
    public var durations: [Double] { frames.facts.durations }

    /// How often the animation is played, 0 for without end.
    public var loopCount: Int { frames.facts.header?.sequence?.loopCount ?? 1 }

    /// Whether there won't be more frames than there are.
    public var isFinished: Bool { frames.facts.isFinished }

    /// Why there are fewer frames than there should be, once that is known.
    public var error: ImageError? { frames.facts.error }

    /// The most bytes that it takes: the file's, and frames that are kept to find others sooner.
    public var byteCount: Int { frames.facts.byteCount }

    /// The frame as it is shown, processed, decoded on the calling thread.
    /// - Throws: `ImageError` with `invalidParameter` for a frame that isn't there, or what is wrong with its bytes; what
    ///   processors throw.
    public func frame(at index: Int) throws -> Image { try decodedFrame(at: index) }

    /// The frame as it is shown, processed, decoded on `ImageExecutor.shared`.
    /// - Throws: As the other one.
    public func frame(at index: Int) async throws -> Image {
        try await withTaskExecutorPreference(ImageExecutor.shared) { try self.decodedFrame(at: index) }
    }

    /// The animation whose frames go through `processor` when they are asked for.
    public func processed(by processor: any ImageProcessing) -> ImageAnimation {
        ImageAnimation(frames, decoding, processors + [processor])
    }

    /// Has the decoder keep no more than so many bytes of pixels, by which it finds frames sooner, from the next frame on.
    package func limitKeptPixels(byteCount: Int) { frames.wantedByteBudget.withLock { $0 = byteCount } }

    func decodedFrame(at index: Int) throws -> Image {
        try processors.reduce(decodedStoredFrame(at: index)) { try $1.process($0) }
    }

    /// The frame before any processor.
    func decodedStoredFrame(at index: Int) throws(ImageError) -> Image {
        let bitmap = try frames.frame(at: index)
        guard let header, let plan = try decoding.plan(for: header) else { return image(bitmap) }
        let region = try plan.decoding.region.map { (region) throws(ImageError) in try bitmap.cropped(to: region) }
        return try image(plan.apply(to: region ?? bitmap))
    }

    private func image(_ bitmap: Bitmap) -> Image {
        header.map { Image(bitmap, format: $0.format, scale: decoding.scale) } ?? Image(bitmap, scale: decoding.scale)
    }

    /// Takes in what of `data`, all bytes so far, is new.
    /// - Throws: What makes the bytes useless from here on; `error` says the same.
    @discardableResult
    func append(_ data: Data, isLast: Bool) throws(ImageError) -> [DecodingEvent] {
        try frames.append(data, isLast: isLast)
    }
}

extension ImageAnimation {
    /// Writes all frames that are there, processed, as `format`.
    /// - Parameter first: The first of them, upright.
    /// - Throws: `ImageError`, and what the processors throw.
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
                    // A processor's own error, which the encoder can't carry.
                    failure = error
                    throw ImageError(.cancelled, "a processor failed")
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// The file for all frames that are there, processed, in the format that `format` names for the first one.
    func encoded(
        _ options: EncodingOptions, _ codecs: CodecRegistry, format: (Bitmap) -> ImageFormat
    ) throws -> Data {
        let first = try decodedFrame(at: 0).bitmap()
        let output = ByteBuffer()
        try encode(as: format(first), options: options, codecs: codecs, first: first, to: output)
        return Data(output.bytes)
    }
}

/// The bytes and the decoder of an animation, for all that is made of it.
final class AnimationFrames: Sendable {
    struct Facts: Sendable {
        var header: ImageHeader?
        var size: PixelSize?
        var frameCount: Int?
        var durations: [Double] = []
        var isFinished = false
        var error: ImageError?
        /// Bytes of the file, and of the canvases that the decoder may come to keep.
        var byteCount = 0
    }

    private struct Input {
        let source: AnimatedImageSource
        /// Bytes that the source has taken in.
        var byteCount = 0
        var isFinished = false
    }

    /// Held while a frame is decoded: the decoder makes one at a time.
    private let input: Mutex<Input>
    /// Apart, so that nobody who asks waits for a frame.
    private let known = Mutex(Facts())
    /// What the decoder's canvases may take from the next frame on; nil for what it has.
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

    /// Takes in what of `data`, all bytes so far, is new.
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
