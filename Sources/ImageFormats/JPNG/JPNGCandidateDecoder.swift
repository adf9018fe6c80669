internal import JPNGContainer
internal import Raster

/// Decodes data that begins as a JPEG and may end with a JPNG footer.
///
/// Until the end it decodes the JPEG. It keeps the bytes, from which a JPNG is decoded again; they take a fraction of
/// the memory of its pixels.
final class JPNGCandidateDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    private let jpeg: any IncrementalDecoder
    /// The decoder that takes over once the footer is found.
    private var jpng: JPNGDecoder?
    private var kept: [UInt8] = []
    private var isFinished = false
    private var started: (plan: DecodingPlan, delivery: PassDelivery)?
    private var restart: BitmapInfo?
    /// The error for a damaged footer, thrown after the JPEG's rows.
    private var damage: ImageError?

    init(options: DecodingOptions) throws(ImageError) {
        self.options = options
        jpeg = try JPEGCodec().makeDecoder(for: FormatProbe(streamPrefix: RawSpan()), options: options)
    }

    var header: ImageHeader? { jpng?.header ?? jpeg.header }

    var prefersWholeInput: Bool { jpeg.prefersWholeInput }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard bytes.byteCount <= options.limits.maximumInputByteCount - kept.count else {
            throw ImageError(
                .limitExceeded,
                "a JPEG of unknown length has more than \(options.limits.maximumInputByteCount) bytes, the limit"
                    + " (DecodingLimits.maximumInputByteCount)")
        }
        // The pointer is used within the call only.
        bytes.withUnsafeBytes { kept.append(contentsOf: $0) }
        try jpeg.append(bytes)
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        try settle()
        if jpng == nil { try jpeg.finish() }
    }

    /// Searches for a footer, when all bytes have arrived.
    private func settle() throws(ImageError) {
        let bytes = kept
        kept = []
        let container: JPNGContainer?
        do throws(JPNGError) {
            container = try JPNGContainer.find(in: bytes.span.bytes)
        } catch {
            damage = ImageError(error)
            return
        }
        // With `.last`, rows can't be delivered twice: once started, the session delivers the JPEG.
        guard let container, started?.delivery != .last else { return }
        let jpng = try JPNGDecoder(container.footer, options: options)
        try jpng.append(bytes.span.bytes)
        try jpng.finish()
        self.jpng = jpng
        if let started { restart = try jpng.start(started.plan, delivery: started.delivery) }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        started = (plan, delivery)
        if let jpng { return try jpng.start(plan, delivery: delivery) }
        return try jpeg.start(plan, delivery: delivery)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let jpng else {
            let delivery: RowDelivery
            do throws(ImageError) {
                delivery = try jpeg.read(into: &rows)
            } catch {
                // A JPNG with a damaged colour part still has a mask.
                guard isFinished else { return .needMoreData }
                throw damage ?? error
            }
            if case .end = delivery {
                if let damage { throw damage }
                // The image is complete only when no footer can follow.
                if !isFinished { return .needMoreData }
            }
            return delivery
        }
        if let info = restart {
            restart = nil
            return .restart(info)
        }
        return try jpng.read(into: &rows)
    }
}
