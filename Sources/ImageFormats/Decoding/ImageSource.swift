public import Raster

/// Decodes an image while its bytes arrive, and returns the image so far at any time.
///
/// The current image, previews included, is upright and in the colour space that the options select. If the input is
/// truncated or corrupt, the image so far stays available, and `error` has the reason. Use it from one task at a time.
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

    /// The reason why the image is incomplete, once it is known.
    public var error: ImageError? { stream.error }
    /// Whether every row has been decoded.
    public private(set) var isComplete = false

    /// Creates a source that decodes the part and size that `plan` selects.
    /// - Parameter deliversPreviews: Whether to decode each pass as it arrives, instead of only the final image.
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

    /// The file's header; nil until it has arrived.
    public var header: ImageHeader? { decoder?.header ?? lastHeader }

    /// The number of bytes appended: the input's offset of the next byte to append.
    ///
    /// `removeIntermediateState()` sets it to 0.
    public var byteCount: Int { stream.byteCount }

    /// Frees the decoder and the image so far, for use under memory pressure.
    ///
    /// While the image is arriving, append its bytes again from the first on. Events repeat, and the result doesn't
    /// change; `header` stays. Has no effect once the image is complete or the input has ended.
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

    /// Appends the next bytes and decodes as much as they allow.
    /// - Returns: The events that these bytes caused.
    /// - Throws: The error that makes the input unusable, also in `error`. The image so far stays available.
    @discardableResult
    public func append(_ bytes: RawSpan) throws(ImageError) -> [DecodingEvent] {
        try stream.append(bytes, for: self)
    }

    /// Appends the next bytes and decodes as much as they allow.
    @discardableResult
    public func append(_ bytes: some Sequence<UInt8>) throws(ImageError) -> [DecodingEvent] {
        let bytes = Array(bytes)
        return try append(bytes.span.bytes)
    }

    /// Ends the input.
    /// - Returns: The events that this caused.
    /// - Throws: The error that makes the image incomplete, also in `error`. The image so far stays available.
    @discardableResult
    public func finish() throws(ImageError) -> [DecodingEvent] {
        let events = try stream.finish(for: self)
        // Decoders report missing bytes themselves; for one that doesn't, the caller must not wait forever.
        guard isComplete else {
            let what = header == nil ? "the image ends before its header does" : "the image ends too early"
            throw stream.fail(ImageError(.truncated, what))
        }
        return events
    }

    /// Returns the image so far, or the final one; nil before the first row.
    ///
    /// While the image is arriving, each call makes a copy, so call it only to show the image.
    /// - Throws: `outOfMemory`.
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
            // Without previews there is no use in starting before the end, which may still change the format.
            guard delivery == .every || stream.isFinished else { return }
            // Memory for the pixels is allocated only once there are enough bytes for the compression ratio.
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
    /// Returns the header of the image in `bytes`, without decoding it.
    public static func header(
        of bytes: some Sequence<UInt8>, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try header(of: Source(bytes), options: options, registry: registry)
    }

    /// Returns the header of the image in `source`, and reads no further. A stream can still be decoded after this.
    public static func header(
        of source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try header(of: source.headerReader(), options: options, registry: registry)
    }

    /// Returns the header of the image that a reader delivers, and reads no further.
    public static func header(
        of bytes: any ByteReader, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try DecodingSession(bytes, options: options, registry: registry).header
    }

    /// Decodes `bytes`. If the image is incomplete, returns the rows decoded and the error.
    /// - Throws: The error that prevents even the first row from being decoded.
    public static func decode(
        _ bytes: some Sequence<UInt8>, plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) -> DecodedImage {
        try decode(Source(bytes), plan: plan, options: options, registry: registry)
    }

    /// Decodes the image in `source` while reading it. If it is incomplete, returns the rows decoded and the error.
    /// - Throws: The error that prevents even the first row from being decoded.
    public static func decode(
        _ source: Source, plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) -> DecodedImage {
        try decode(source, options: options, registry: registry) { _ in plan }
    }

    /// Decodes the image in `source` by a plan that depends on the header.
    /// - Throws: The errors of `decode(_:plan:options:registry:)`, and any error of `makePlan`.
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
            // Each piece is decoded while it is in the processor's caches.
            repeat { try canvas.fill(from: decoder, events: &events) } while !canvas.isComplete && session.appendNext()
            if !canvas.isComplete {
                failure = ImageError(.truncated, "the \(header.format) image ends too early")
            }
        } catch {
            failure = error
        }
        failure = session.failure ?? failure
        guard let bitmap = try canvas.finished() else {
            throw failure ?? ImageError(.truncated, "the \(header.format) image has no pixels")
        }
        return DecodedImage(header: header, bitmap: bitmap, error: failure)
    }

    /// Returns an image that decodes `bytes` when its pixels are requested.
    /// - Parameters:
    ///   - scale: The pixels per point; 0 for the display's.
    ///   - forcesDecompression: Whether to decode immediately; a JPNG also if `JPNG.alwaysForcesDecompression` is true.
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

/// The result of decoding: the pixels and, if some are missing, the reason.
public struct DecodedImage: Sendable {
    /// The file's header.
    public let header: ImageHeader
    /// The pixels. Rows that couldn't be decoded are transparent, or black if there is no alpha.
    public let bitmap: Bitmap
    /// The reason why the image is incomplete; nil if it is complete.
    public let error: ImageError?
}

/// A step of decoding that the latest bytes made possible.
public enum DecodingEvent: Hashable, Sendable {
    /// The header is known, or has become more exact.
    case header(ImageHeader)
    /// The header's metadata changed because of a block after it, such as EXIF after the pixels.
    case metadata(ImageMetadata)
    /// The rows before `upTo`, counted in the stored image at decoded size, are in the current image.
    case rows(upTo: Int)
    /// This many passes (scans of a progressive JPEG, passes of an interlaced PNG) are in the current image.
    case pass(Int)
    /// The animation's frame at this index is complete and can be decoded.
    case frame(Int)
    /// The image or the animation is complete.
    case complete
}
