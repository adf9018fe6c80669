public import Raster

/// Decodes the frames of an animation in any order, while its bytes arrive or after all of them have.
///
/// Frames are upright and in the colour space that the options select. In order, each frame takes one decode; in any
/// other order a few more, since some canvases are kept within a byte budget. A still in a format that supports
/// animations is an animation of one frame. Use it from one task at a time.
///
/// If the input is truncated or corrupt, the frames before the damage stay available, and `error` has the reason.
public final class AnimatedImageSource {
    private let options: DecodingOptions
    /// The most bytes that cached canvases may take. A lower value takes effect when the next frame is decoded.
    public var byteBudget: Int {
        didSet {
            byteBudget = max(0, byteBudget)
            canvas?.byteBudget = byteBudget
        }
    }
    private let registry: CodecRegistry

    private let stream: DecodingStream
    private var decoder: (any AnimationDecoder)?
    private var canvas: AnimationCanvas?
    private var lastHeader: ImageHeader?

    /// The position and timing of each available frame, in stored pixels. Grows while bytes arrive.
    public private(set) var frames: [AnimationFrame] = []
    /// The reason why frames are missing, once it is known.
    public var error: ImageError? { stream.error }
    /// Whether all frames are available.
    public private(set) var isComplete = false

    /// Creates a source for bytes that arrive over time.
    /// - Parameter byteBudget: The most bytes that cached canvases may take, in addition to the one or two in use.
    public init(
        options: DecodingOptions = DecodingOptions(), byteBudget: Int = AnimatedImageSource.defaultByteBudget,
        registry: CodecRegistry = .default
    ) {
        self.options = options
        self.byteBudget = max(0, byteBudget)
        self.registry = registry
        stream = DecodingStream(limits: options.limits, registry: registry)
    }

    /// Creates a source for bytes that are complete.
    /// - Throws: The error that prevents even the first frame from being found. Later errors are in `error`.
    public convenience init(
        _ bytes: some Sequence<UInt8>, options: DecodingOptions = DecodingOptions(),
        byteBudget: Int = AnimatedImageSource.defaultByteBudget, registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(options: options, byteBudget: byteBudget, registry: registry)
        do throws(ImageError) {
            try append(bytes)
            try finish()
        } catch {
            if frames.isEmpty { throw error }
        }
    }

    /// 64 MiB: holds every frame of common web animations, and intermediate canvases of longer ones.
    public static let defaultByteBudget = 64 << 20

    /// The file's header; nil until it has arrived.
    public var header: ImageHeader? { decoder?.header }

    /// The width and height of every frame; nil until the header has arrived.
    public var size: PixelSize? {
        header.map { options.appliesOrientation ? $0.size : $0.storedSize }
    }

    /// The format and size of the bitmaps from `frame(at:)`; nil until the header has arrived.
    var frameInfo: BitmapInfo? {
        guard let header, var info = canvas.map({ options.delivered($0.info) }) else { return nil }
        info.size = options.appliedOrientation(of: header).applied(to: info.size)
        return info
    }

    /// The total number of frames. While bytes arrive, it is the number in the file's header, or nil if that has none.
    public var frameCount: Int? { stream.isFinished ? frames.count : header?.sequence?.count }

    /// The number of times the animation plays; 0 for endlessly.
    public var loopCount: Int { header?.sequence?.loopCount ?? 1 }

    /// Appends the next bytes of the input.
    /// - Returns: The events that these bytes caused.
    /// - Throws: The error that makes the input unusable, also in `error`. The frames so far stay available.
    @discardableResult
    public func append(_ bytes: RawSpan) throws(ImageError) -> [DecodingEvent] {
        try stream.append(bytes, for: self)
    }

    /// Appends the next bytes of the input.
    @discardableResult
    public func append(_ bytes: some Sequence<UInt8>) throws(ImageError) -> [DecodingEvent] {
        let bytes = Array(bytes)
        return try append(bytes.span.bytes)
    }

    /// Ends the input.
    /// - Returns: The events that this caused.
    /// - Throws: The error that makes the animation incomplete, also in `error`. The frames so far stay available.
    @discardableResult
    public func finish() throws(ImageError) -> [DecodingEvent] {
        guard !isComplete else { return [] }
        let events = try stream.finish(for: self)
        guard !frames.isEmpty else {
            throw stream.fail(ImageError(.truncated, "the animation ends before its first frame does"))
        }
        isComplete = true
        return events + [.complete]
    }

    /// Returns a frame composed on the canvas, upright.
    /// - Parameters:
    ///   - targetSize: The size to resample to; nil for the canvas's size.
    ///   - filter: The resampling filter.
    /// - Throws: `invalidParameter` if there is no such frame or the size is empty; `limitExceeded` if the canvas is
    ///   too large for the bytes so far; any error in the bytes of this frame, or of a frame that it is drawn over.
    public func frame(
        at index: Int, targetSize: PixelSize? = nil, filter: ResamplingFilter = .automatic
    ) throws(ImageError) -> Bitmap {
        guard let decoder, let canvas, let header, frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "there is no frame \(index) of \(frames.count)")
        }
        try options.checkCompressionRatio(of: header, inputByteCount: stream.byteCount, registry: registry)
        let orientation = options.appliedOrientation(of: header)
        let stored = try canvas.frame(at: index, from: decoder)
        let shown = options.color == .sRGB ? try stored.converted(for: options.dynamicRange) : stored
        guard let targetSize else { return try shown.oriented(by: orientation) }
        return try shown.resampled(to: orientation.inverse.applied(to: targetSize), filter: filter)
            .oriented(by: orientation)
    }

    /// Frees cached pixels, which can be decoded again. For use under memory pressure.
    public func removeDecodedPixels() { canvas?.removePixels() }
}

extension AnimatedImageSource: DecodingStream.Owner {
    package func makeDecoder(
        _ codec: any ImageCodec, for probe: borrowing FormatProbe, traits: FormatTraits
    ) throws(ImageError) -> any StreamingDecoder {
        let decoder = try codec.makeAnimationDecoder(for: probe, options: options)
        self.decoder = decoder
        return decoder
    }

    package func advance() throws(ImageError) -> [DecodingEvent] {
        guard let decoder, let header = decoder.header else { return [] }
        var events: [DecodingEvent] = []
        if lastHeader != header {
            lastHeader = header
            events.append(.header(header))
        }
        if canvas == nil {
            try options.limits.check(header.storedSize, format: header.format)
            try options.limits.checkFrameCount(header.sequence?.count ?? 0, format: header.format)
            let info = try decoder.start()
            canvas = try AnimationCanvas(info, format: header.format, byteBudget: byteBudget, limits: options.limits)
        }
        let known = decoder.frames
        let count = min(known.count, options.limits.maximumFrameCount)
        for index in frames.count..<max(count, frames.count) {
            frames.append(known[index])
            events.append(.frame(index))
        }
        try options.limits.checkFrameCount(known.count, format: header.format)
        return events
    }
}
