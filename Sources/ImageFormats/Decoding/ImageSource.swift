public import Raster

/// A picture that is arriving: bytes go in as they come, and the picture so far can be had at any moment.
///
/// The current picture is upright and in the colours asked for, previews included. Input that ends too early leaves the
/// picture so far in place and says in `error` what happened. Not for use by several tasks at a time.
///
/// ```swift
/// let source = ImageSource()
/// for try await chunk in download {
///     if try source.append(chunk).contains(where: { if case .pass = $0 { true } else { false } }) {
///         show(try source.currentBitmap())
///     }
/// }
/// try source.finish()
/// ```
public final class ImageSource {
    private let plan: DecodingPlan
    private let options: DecodingOptions
    private let registry: CodecRegistry
    private let delivery: PassDelivery

    private var stream: DecodingStream
    private var decoder: (any IncrementalDecoder)?
    private var canvas: ImageCanvas?
    private var lastHeader: ImageHeader?
    private var finalBitmap: Bitmap?

    /// Why the picture isn't whole, once that is known.
    public var error: ImageError? { stream.error }
    /// Whether every row has been decoded.
    public private(set) var isComplete = false

    /// A source that decodes what `plan` asks for.
    /// - Parameter deliversPreviews: Whether each pass is decoded as it arrives; else only the final picture is.
    public init(
        plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(), deliversPreviews: Bool = true,
        registry: CodecRegistry = .default
    ) {
        self.plan = plan
        self.options = options
        self.registry = registry
        delivery = deliversPreviews ? .every : .last
        stream = DecodingStream(limits: options.limits, registry: registry)
    }

    /// What is known of the picture; nil until the bytes reach that far.
    public var header: ImageHeader? { decoder?.header ?? lastHeader }

    /// How many of the input's bytes were taken: the next ones to append begin here.
    ///
    /// `removeIntermediateState()` sets it to 0.
    public var byteCount: Int { stream.byteCount }

    /// Frees what decoding has to keep, for a program that is told that memory is short: the decoder and the picture so far.
    ///
    /// While the picture is arriving the bytes are needed again, from the first one on, and there are no rows until then;
    /// `header` stays. Events repeat, and the result is the same. A picture that is complete stays, and so does what there
    /// is when the input has ended.
    ///
    /// ```swift
    /// source.removeIntermediateState()
    /// try source.append(received.span.bytes.extracting(droppingFirst: source.byteCount))
    /// ```
    public func removeIntermediateState() {
        guard !isComplete, !stream.isFinished else { return }
        decoder = nil
        canvas = nil
        stream = DecodingStream(limits: options.limits, registry: registry)
    }

    /// Takes the bytes that come next and decodes what they allow.
    /// - Returns: What became possible.
    /// - Throws: What makes the input useless. The picture so far stays; `error` says the same.
    @discardableResult
    public func append(_ bytes: RawSpan) throws(ImageError) -> [DecodingEvent] {
        try stream.append(bytes, for: self)
    }

    /// Takes the bytes that come next and decodes what they allow.
    @discardableResult
    public func append(_ bytes: some Sequence<UInt8>) throws(ImageError) -> [DecodingEvent] {
        let bytes = Array(bytes)
        return try append(bytes.span.bytes)
    }

    /// Says that there are no more bytes.
    /// - Returns: What became possible.
    /// - Throws: What keeps the picture from being whole. The picture so far stays; `error` says the same.
    @discardableResult
    public func finish() throws(ImageError) -> [DecodingEvent] {
        let events = try stream.finish(for: self)
        // A session reports missing bytes itself; one that doesn't must not leave the caller waiting.
        guard isComplete else {
            let what = header == nil ? "the picture ends before its header does" : "the picture ends too early"
            throw stream.fail(ImageError(.truncated, what))
        }
        return events
    }

    /// The picture so far, or the final one; nil before the first row.
    ///
    /// A copy while the picture is still arriving, so ask for it when it is going to be shown.
    /// - Throws: Only for want of memory.
    public func currentBitmap() throws(ImageError) -> Bitmap? {
        if let finalBitmap { return finalBitmap }
        guard isComplete || error != nil else { return try canvas?.snapshot() }
        finalBitmap = try canvas?.finished()
        canvas = nil
        return finalBitmap
    }
}

extension ImageSource: DecodingStream.Owner {
    package func makeDecoder(
        _ codec: any ImageCodec, for probe: borrowing FormatProbe, traits: FormatTraits
    ) throws(ImageError) -> any StreamingDecoder {
        let decoder = try codec.makeSession(for: probe, traits: traits, options: options)
        self.decoder = decoder
        return decoder
    }

    package func advance() throws(ImageError) -> [DecodingEvent] {
        guard let decoder, let header = decoder.header else { return [] }
        var events: [DecodingEvent] = []
        if let last = lastHeader, last != header {
            var updated = last
            updated.metadata = header.metadata
            events.append(updated == header ? .metadata(header.metadata) : .header(header))
        } else if lastHeader == nil {
            events.append(.header(header))
        }
        lastHeader = header
        if !isComplete { try decode(from: decoder, header, events: &events) }
        return events
    }

    private func decode(
        from decoder: any IncrementalDecoder, _ header: ImageHeader, events: inout [DecodingEvent]
    ) throws(ImageError) {
        if canvas == nil {
            // Without previews nothing is gained by starting before the end, which may still decide the format.
            guard delivery == .every || stream.isFinished else { return }
            // Nor is memory taken for more pixels than so few bytes can hold.
            guard try stream.hasEnoughBytes(for: header, options: options) else { return }
            let planned = try PlannedDecoding(plan, of: header, options: options) { (plan) throws(ImageError) in
                try decoder.start(plan, delivery: delivery)
            }
            canvas = try ImageCanvas(planned, format: header.format, options: options)
        }
        guard let canvas else { return }
        try canvas.fill(from: decoder, events: &events)
        if canvas.isComplete {
            isComplete = true
            events.append(.complete)
        }
    }
}

extension ImageSource {
    /// What `bytes` say of their picture, without decoding it.
    public static func header(
        of bytes: some Sequence<UInt8>, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try header(of: Source(bytes), options: options, registry: registry)
    }

    /// The header of the image in `source`, read no further than it takes. A stream can be decoded afterwards.
    public static func header(
        of source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try header(of: source.headerReader(), options: options, registry: registry)
    }

    /// What `bytes` say of their picture, read no further than it takes.
    public static func header(
        of bytes: any ByteReader, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try DecodingSession(bytes, options: options, registry: registry).header
    }

    /// Decodes `bytes`: what there is, with the error if that isn't all.
    /// - Throws: What keeps even the first row from being decoded.
    public static func decode(
        _ bytes: some Sequence<UInt8>, plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) -> DecodedImage {
        try decode(Source(bytes), plan: plan, options: options, registry: registry)
    }

    /// Decodes the image in `source` while it is read: what there is, with the error if that isn't all.
    /// - Throws: What keeps even the first row from being decoded.
    public static func decode(
        _ source: Source, plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) -> DecodedImage {
        try decode(source, options: options, registry: registry) { _ in plan }
    }

    /// As `decode(_:plan:options:registry:)`, with a plan that depends on the header.
    /// - Throws: Also what `makePlan` throws.
    public static func decode(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default,
        makePlan: (ImageHeader) throws(ImageError) -> DecodingPlan
    ) throws(ImageError) -> DecodedImage {
        let session = try DecodingSession(source.reader(), options: options, registry: registry)
        let (decoder, header) = (session.decoder, session.header)
        let canvas = try ImageCanvas(session.start(makePlan(header)), format: header.format, options: options)
        if decoder.prefersWholeInput { session.appendAll() }
        var failure: ImageError?
        do throws(ImageError) {
            var events: [DecodingEvent] = []
            // A piece is decoded while it is in the processor's caches.
            repeat { try canvas.fill(from: decoder, events: &events) } while !canvas.isComplete && session.appendNext()
            if !canvas.isComplete {
                failure = ImageError(.truncated, "the \(header.format) picture ends too early")
            }
        } catch {
            failure = error
        }
        failure = session.failure ?? failure
        guard let bitmap = try canvas.finished() else {
            throw failure ?? ImageError(.truncated, "the \(header.format) picture has no pixels")
        }
        return DecodedImage(header: header, bitmap: bitmap, error: failure)
    }

    /// A picture that decodes `bytes` when its pixels are asked for.
    /// - Parameters:
    ///   - scale: Pixels per point; 0 for the display's.
    ///   - forcesDecompression: Whether to decode now; a JPNG also where `JPNG.alwaysForcesDecompression` says so.
    public static func image(
        _ bytes: some Sequence<UInt8>, scale: Double = 1, forcesDecompression: Bool = false,
        options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> Image {
        let encoded = try EncodedImage(Array(bytes), options: options, registry: registry)
        let image = Image(deferred: encoded, scale: scale)
        let forced = encoded.header.format == .jpng && JPNG.alwaysForcesDecompression
        if forcesDecompression || forced { _ = try image.bitmap() }
        return image
    }
}

/// What came of decoding: the pixels there are and, if not all could be made, the reason.
public struct DecodedImage: Sendable {
    /// What the file says of the picture.
    public let header: ImageHeader
    /// The pixels. Rows that could not be decoded are transparent, or black where there is no alpha.
    public let bitmap: Bitmap
    /// Why the picture isn't whole; nil when it is.
    public let error: ImageError?
}

/// What became possible with the bytes so far.
public enum DecodingEvent: Hashable, Sendable {
    /// The header is known, or more exactly than before.
    case header(ImageHeader)
    /// Metadata came behind the header, as EXIF behind the pixels: the header's is now this.
    case metadata(ImageMetadata)
    /// Rows below `upTo` of the stored picture, at decoded size, are in the current picture.
    case rows(upTo: Int)
    /// This many passes (scans of a progressive JPEG, passes of an interlaced PNG) are in the current picture.
    case pass(Int)
    /// The frame of this index of an animation is whole and can be asked for.
    case frame(Int)
    /// The picture, or the animation, is complete.
    case complete
}
