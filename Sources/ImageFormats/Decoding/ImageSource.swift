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

    private let stream: DecodingStream
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
    public var header: ImageHeader? { decoder?.header }

    /// Takes the bytes that come next and decodes what they allow.
    /// - Returns: What became possible.
    /// - Throws: What makes the input useless. The picture so far stays; `error` says the same.
    @discardableResult
    public func append(_ bytes: RawSpan) throws(ImageError) -> [DecodingEvent] {
        try stream.append(bytes, for: self)
    }

    /// Takes the bytes that come next and decodes what they allow.
    @discardableResult
    public func append(_ bytes: [UInt8]) throws(ImageError) -> [DecodingEvent] { try append(bytes.span.bytes) }

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
            if stream.isFinished {
                try options.checkCompressionRatio(of: header, inputByteCount: stream.byteCount, registry: registry)
            } else if stream.byteCount < options.neededInputByteCount(for: header, registry: registry) {
                return
            }
            let orientation = options.appliedOrientation(of: header)
            try plan.validate(for: orientation.applied(to: header.storedSize))
            let stored = try decoder.start(plan.stored(orientation, storedSize: header.storedSize), delivery: delivery)
            canvas = try ImageCanvas(stored, format: header.format, orientation: orientation, options: options)
        }
        guard let canvas else { return }
        try canvas.fill(from: decoder, events: &events)
        if canvas.isComplete {
            isComplete = true
            events.append(.complete)
        }
    }
}
