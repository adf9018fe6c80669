public import Raster

/// An animation, whole or still arriving: any frame that is there can be had as it is shown, in any order.
///
/// Frames come upright and in the colours that the options ask for. A frame is decoded when it is asked for; the ones
/// asked for in order take one decode each, others take few more, as canvases on the way are kept within a byte budget.
/// A file of one picture in a format that has animations is an animation of one frame. Not for use by several tasks at a
/// time.
///
/// Input that ends too early, or turns out to be broken, leaves the frames before that in place and says in `error` what
/// happened.
public final class AnimatedImageSource {
    private let options: DecodingOptions
    /// What canvases may take that are kept so that other frames are found sooner. A lower one takes effect with the next
    /// frame that is decoded.
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

    /// How the frames that are there go onto the canvas, in stored pixels, and how long each is shown. Grows while bytes
    /// arrive.
    public private(set) var frames: [AnimationFrame] = []
    /// Why there are fewer frames than there should be, once that is known.
    public var error: ImageError? { stream.error }
    /// Whether all frames are there.
    public private(set) var isComplete = false

    /// A source for bytes that come in over time.
    /// - Parameter byteBudget: What canvases may take that are kept so that other frames are found sooner, beside the
    ///   one or two at work.
    public init(
        options: DecodingOptions = DecodingOptions(), byteBudget: Int = AnimatedImageSource.defaultByteBudget,
        registry: CodecRegistry = .default
    ) {
        self.options = options
        self.byteBudget = max(0, byteBudget)
        self.registry = registry
        stream = DecodingStream(limits: options.limits, registry: registry)
    }

    /// A source for bytes that are all there.
    /// - Throws: What keeps even the first frame from being there; what is wrong behind it is in `error`.
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

    /// 64 MiB: every frame of what is common on the web, and steps on the way through what is longer.
    public static let defaultByteBudget = 64 << 20

    /// What is known of the animation; nil until the bytes reach that far.
    public var header: ImageHeader? { decoder?.header }

    /// Width and height of every frame; nil until the header is known.
    public var size: PixelSize? {
        header.map { options.appliesOrientation ? $0.size : $0.storedSize }
    }

    /// What `frame(at:)` delivers; nil until the header is known.
    var frameInfo: BitmapInfo? {
        guard let header, var info = canvas.map({ options.delivered($0.info) }) else { return nil }
        info.size = options.appliedOrientation(of: header).applied(to: info.size)
        return info
    }

    /// How many frames there are in all: as the file announces while it arrives, nil when it doesn't.
    public var frameCount: Int? { stream.isFinished ? frames.count : header?.sequence?.count }

    /// How often the animation is played, 0 for without end.
    public var loopCount: Int { header?.sequence?.loopCount ?? 1 }

    /// Takes the bytes that come next.
    /// - Returns: What became possible.
    /// - Throws: What makes the input useless. The frames so far stay; `error` says the same.
    @discardableResult
    public func append(_ bytes: RawSpan) throws(ImageError) -> [DecodingEvent] {
        try stream.append(bytes, for: self)
    }

    /// Takes the bytes that come next.
    @discardableResult
    public func append(_ bytes: some Sequence<UInt8>) throws(ImageError) -> [DecodingEvent] {
        let bytes = Array(bytes)
        return try append(bytes.span.bytes)
    }

    /// Says that there are no more bytes.
    /// - Returns: What became possible.
    /// - Throws: What keeps the animation from being whole. The frames so far stay; `error` says the same.
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

    /// The frame as it is shown, upright.
    /// - Parameters:
    ///   - targetSize: What it is resampled to; nil for the canvas's size.
    ///   - filter: How it is resampled.
    /// - Throws: `invalidParameter` for a frame that isn't there or a size without pixels; `limitExceeded` for a canvas
    ///   too large for the bytes so far; what is wrong with the frame's bytes, or with those of a frame that it is drawn
    ///   over.
    public func frame(
        at index: Int, targetSize: PixelSize? = nil, filter: ResamplingFilter = .automatic
    ) throws(ImageError) -> Bitmap {
        guard let decoder, let canvas, let header, frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "there is no frame \(index) of \(frames.count)")
        }
        try options.checkCompressionRatio(of: header, inputByteCount: stream.byteCount, registry: registry)
        let orientation = options.appliedOrientation(of: header)
        let stored = try canvas.frame(at: index, from: decoder)
        let shown = options.color == .sRGB ? try stored.convertedToSRGB() : stored
        guard let targetSize else { return try shown.oriented(by: orientation) }
        return try shown.resampled(to: orientation.inverse.applied(to: targetSize), filter: filter)
            .oriented(by: orientation)
    }

    /// Drops pixels that can be made again, as on memory pressure.
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
            try checkFrameCount(header.sequence?.count ?? 0, header)
            let info = try decoder.start()
            canvas = try AnimationCanvas(info, format: header.format, byteBudget: byteBudget, limits: options.limits)
        }
        let known = decoder.frames
        let count = min(known.count, options.limits.maximumFrameCount)
        for index in frames.count..<max(count, frames.count) {
            frames.append(known[index])
            events.append(.frame(index))
        }
        try checkFrameCount(known.count, header)
        return events
    }

    private func checkFrameCount(_ count: Int, _ header: ImageHeader) throws(ImageError) {
        guard count <= options.limits.maximumFrameCount else {
            throw ImageError(
                .limitExceeded,
                "the \(header.format) animation has \(count) frames; the limit is \(options.limits.maximumFrameCount)")
        }
    }
}
