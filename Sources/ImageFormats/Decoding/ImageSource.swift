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

    private var prefix = StreamPrefix()
    private var byteCount = 0
    private var decoder: (any IncrementalDecoder)?
    private var canvas: ImageCanvas?
    private var lastHeader: ImageHeader?
    private var isFinished = false
    private var finalBitmap: Bitmap?

    /// Why the picture isn't whole, once that is known.
    public private(set) var error: ImageError?
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
    }

    /// What is known of the picture; nil until the bytes reach that far.
    public var header: ImageHeader? { decoder?.header }

    /// Takes the bytes that come next and decodes what they allow.
    /// - Returns: What became possible.
    /// - Throws: What makes the input useless. The picture so far stays; `error` says the same.
    @discardableResult
    public func append(_ bytes: RawSpan) throws(ImageError) -> [DecodingEvent] {
        if let error { throw error }
        guard !isFinished else { throw ImageError(.invalidParameter, "bytes after the end of the input") }
        byteCount += bytes.byteCount
        do throws(ImageError) {
            if let decoder {
                try decoder.append(bytes)
            } else {
                prefix.append(bytes)
                try identify()
            }
        } catch {
            throw ended(by: error)
        }
        return try advance()
    }

    /// Takes the bytes that come next and decodes what they allow.
    @discardableResult
    public func append(_ bytes: [UInt8]) throws(ImageError) -> [DecodingEvent] { try append(bytes.span.bytes) }

    /// Says that there are no more bytes.
    /// - Returns: What became possible.
    /// - Throws: What keeps the picture from being whole. The picture so far stays; `error` says the same.
    @discardableResult
    public func finish() throws(ImageError) -> [DecodingEvent] {
        if let error { throw error }
        guard !isFinished else { return [] }
        isFinished = true
        do throws(ImageError) {
            if decoder == nil { try identify() }
            guard let decoder else { throw ImageError(.unknownFormat, "there are no bytes") }
            try decoder.finish()
            guard decoder.header != nil else {
                throw ImageError(.truncated, "the picture ends before its header does")
            }
        } catch {
            throw ended(by: error)
        }
        let events = try advance()
        // A session reports missing bytes itself; one that doesn't must not leave the caller waiting.
        guard isComplete else { throw ended(by: ImageError(.truncated, "the picture ends too early")) }
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

    /// Decodes the rows that are possible yet, and records why there will be no more.
    private func ended(by error: ImageError) -> ImageError {
        isFinished = true
        if !isComplete { _ = try? advance() }
        self.error = error
        return error
    }

    private func identify() throws(ImageError) {
        let found = try prefix.makeSession(isFinished: isFinished, limits: options.limits, registry: registry) {
            (codec, probe, traits) throws(ImageError) in
            try codec.makeSession(for: probe, traits: traits, options: options)
        }
        guard let found else { return }
        decoder = found.session
        try found.session.append(found.bytes.span.bytes)
    }

    private func advance() throws(ImageError) -> [DecodingEvent] {
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
        guard !isComplete else { return events }
        do throws(ImageError) {
            try decode(from: decoder, header, events: &events)
        } catch {
            self.error = error
            throw error
        }
        return events
    }

    private func decode(
        from decoder: any IncrementalDecoder, _ header: ImageHeader, events: inout [DecodingEvent]
    ) throws(ImageError) {
        if canvas == nil {
            // Without previews nothing is gained by starting before the end, which may still decide the format.
            guard delivery == .every || isFinished else { return }
            // Nor is memory taken for more pixels than so few bytes can hold.
            if isFinished || error != nil {
                try options.checkCompressionRatio(of: header, inputByteCount: byteCount, registry: registry)
            } else if byteCount < options.neededInputByteCount(for: header, registry: registry) {
                return
            }
            let orientation = options.appliesOrientation ? header.metadata.orientation : .up
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
