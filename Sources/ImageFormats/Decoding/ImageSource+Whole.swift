public import Raster

extension ImageSource {
    /// What `bytes` say of their picture, without decoding it.
    public static func header(
        of bytes: [UInt8], options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try header(of: ByteArraySource(bytes), options: options, registry: registry)
    }

    /// What `bytes` say of their picture, read no further than it takes.
    public static func header(
        of bytes: any ByteSource, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> ImageHeader {
        try DecodingSession(bytes, options: options, registry: registry).header
    }

    /// Decodes `bytes`: what there is, with the error if that isn't all.
    /// - Throws: What keeps even the first row from being decoded.
    public static func decode(
        _ bytes: [UInt8], plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) -> DecodedImage {
        let session = try DecodingSession(ByteArraySource(bytes), options: options, registry: registry)
        let (decoder, header) = (session.decoder, session.header)
        let orientation = options.appliedOrientation(of: header)
        try plan.validate(for: orientation.applied(to: header.storedSize))
        let stored = try session.start(plan.stored(orientation, storedSize: header.storedSize))
        let canvas = try ImageCanvas(stored, format: header.format, orientation: orientation, options: options)
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
        _ bytes: [UInt8], scale: Double = 1, forcesDecompression: Bool = false,
        options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> Image {
        let encoded = try EncodedImage(bytes, options: options, registry: registry)
        let image = Image(deferred: encoded, scale: scale)
        let forced = encoded.header.format == .jpng && JPNG.alwaysForcesDecompression
        if forcesDecompression || forced { _ = try image.bitmap() }
        return image
    }
}
