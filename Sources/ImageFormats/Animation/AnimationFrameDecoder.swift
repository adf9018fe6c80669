internal import Raster
internal import Synchronization

/// Decodes one composed frame of an animation as a still image, as `DecodingOptions.imageIndex` selects.
final class AnimationFrameDecoder: IncrementalDecoder {
    private let decoder: any AnimationDecoder
    private let index: Int
    private let limits: DecodingLimits
    private var canvas: AnimationCanvas?
    private var region: PixelRect?
    private var rows: (any RowSource)?
    private var isInputFinished = false
    /// The error that makes the rest of the input unusable.
    private var failure: ImageError?

    /// Creates a decoder for the frame at `index` of the animation that `decoder` reads.
    init(_ decoder: any AnimationDecoder, index: Int, limits: DecodingLimits) {
        self.decoder = decoder
        self.index = index
        self.limits = limits
    }

    var header: ImageHeader? { decoder.header }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard failure == nil else { return }
        do throws(ImageError) {
            try decoder.append(bytes)
        } catch {
            guard header != nil else { throw error }
            failure = error
        }
    }

    func finish() throws(ImageError) {
        isInputFinished = true
        guard failure == nil else { return }
        do throws(ImageError) {
            try decoder.finish()
        } catch {
            guard header != nil else { throw error }
            failure = error
        }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the animation's header isn't known yet") }
        guard index >= 0, index < limits.maximumFrameCount else { throw noSuchFrame(header) }
        try limits.check(header.storedSize, format: header.format)
        try plan.validate(for: header.storedSize)
        var info = try decoder.start()
        // The only frame is read once, so nothing is cached.
        canvas = try AnimationCanvas(info, format: header.format, byteBudget: 0, limits: limits)
        region = plan.region
        info.size = plan.regionSize(of: info.size)
        return info
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let header, let canvas else {
            throw ImageError(.invalidParameter, "the decoder for a frame of an animation was not started")
        }
        if rows == nil {
            guard index < decoder.frames.count else {
                if let failure { throw failure }
                guard isInputFinished else { return .needMoreData }
                throw noSuchFrame(header)
            }
            let shown = try canvas.frame(at: index, from: decoder)
            canvas.removePixels()
            rows = try shown.cropped(to: region ?? PixelRect(shown.size)).makeRowSource()
        }
        let count = try rows!.read(into: &target)
        return count > 0 ? .rows(count) : .end
    }

    private func noSuchFrame(_ header: ImageHeader) -> ImageError {
        ImageError(
            .invalidParameter,
            "there is no frame \(index) in the \(header.format) file; the last is \(decoder.frames.count - 1)")
    }
}

extension ImageCodec {
    /// Creates a decoder for the image that `options` select; for a frame of an animation, one that composes it.
    package func makeSession(
        for probe: borrowing FormatProbe, traits: FormatTraits, options: DecodingOptions
    ) throws(ImageError) -> any IncrementalDecoder {
        // In a format with both pages and animations, the index is a page's unless the file is known to be animated.
        if let index = options.imageIndex, capabilities.contains(.decodeAnimation),
            traits.contains(.animated) || !capabilities.contains(.decodePages)
        {
            let decoder = try makeAnimationDecoder(for: probe, options: options)
            return AnimationFrameDecoder(decoder, index: index, limits: options.limits)
        }
        return try makeDecoder(for: probe, options: options)
    }
}

/// An animation's cached canvases. Any task may free them when memory is short.
final class AnimationPixels: DecodedPixelHolder {
    /// The canvas that a frame is drawn on.
    struct Ground {
        /// An earlier composed frame; nil for a blank canvas.
        var shown: Bitmap?
        /// The region cleared since.
        var cleared: PixelRect?
    }

    struct Contents {
        /// Composed frames, by index.
        var kept: [Int: Bitmap] = [:]
        /// The index after the last composed frame, and the ground of the frame there.
        var next: (index: Int, ground: Ground)?
    }

    private let storage = Mutex(Contents())

    init() { ImageMemory.add(self) }

    deinit { ImageMemory.remove(self) }

    /// A copy of the current contents.
    var contents: Contents { storage.withLock { $0 } }

    /// Changes the contents while the lock is held.
    func update(_ body: (inout Contents) -> Void) { storage.withLock { body(&$0) } }

    func removeDecodedPixels() { storage.withLock { $0 = Contents() } }
}
