internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import Raster

/// A request's decoding options, and the decoding of complete data.
struct PictureDecoding: Sendable {
    let options: DecodingOptions
    let thumbnail: ImageRequest.ThumbnailOptions?
    /// Pixels per point of the decoded image.
    let scale: Double
    /// Whether to defer decoding until pixels are requested.
    let isDeferred: Bool
    let codecs: CodecRegistry

    init(_ request: ImageRequest, _ codecs: CodecRegistry) {
        options = request.decoding
        thumbnail = request.thumbnail
        scale = request.scale
        isDeferred = request.options.contains(.skipDecompression)
        self.codecs = codecs
    }

    /// Options for decoding at full size with the given `scale`.
    init(options: DecodingOptions, scale: Double, codecs: CodecRegistry) {
        self.options = options
        self.scale = scale
        thumbnail = nil
        isDeferred = false
        self.codecs = codecs
    }

    func decode(_ data: Data) throws -> ImageContainer {
        let bytes = [UInt8](data)
        return try animated(bytes, data) ?? still(bytes)
    }

    /// Decodes `source` while it is read; nil if all bytes are needed at once, for a deferred image or a possible
    /// animation.
    func decode(_ source: Source) throws -> ImageContainer? {
        guard !isDeferred else { return nil }
        var needsAllBytes = false
        do {
            return try still(source) { (header) throws(ImageError) in
                // A GIF doesn't announce a second frame.
                needsAllBytes = isAnimated(header) || header.format == .gif && options.imageIndex == nil
                if needsAllBytes { throw ImageError(.cancelled, "an animation is decoded from all of its bytes") }
                return try plan(for: header)
            }
        } catch _ where needsAllBytes {
            return nil
        }
    }

    /// The effects that scale an image with this header to the thumbnail, and the decoding they need; nil if it has the
    /// right size.
    func plan(for header: ImageHeader) throws(ImageError) -> EffectPlan? {
        guard let (chain, context) = try sizing(for: header), !chain.effects.isEmpty else { return nil }
        let isVector = codecs.capabilities(of: header.format).contains(.vector)
        return try chain.plan(for: size(of: header), in: context, isVector: isVector)
    }

    /// The size of the full image in the orientation in which it is delivered.
    private func size(of header: ImageHeader) -> PixelSize {
        options.appliesOrientation ? header.size : header.storedSize
    }

    /// The effects that scale an image with this header to the thumbnail; nil without a thumbnail.
    private func sizing(for header: ImageHeader) throws(ImageError) -> (EffectChain, EffectContext)? {
        guard let thumbnail else { return nil }
        let pixelsPerPoint = scale > 0 && scale.isFinite ? scale : DisplayScale.current
        let isVector = codecs.capabilities(of: header.format).contains(.vector)
        let chain = try ImageSizing(thumbnail).chain(for: size(of: header), scale: pixelsPerPoint, isVector: isVector)
        let isDeep = options.maximumBitsPerChannel > 8 && header.bitsPerChannel > 8
        let context = try EffectContext(
            options: EffectOptions(
                units: .pixels, filter: thumbnail.filter, bitsPerChannel: isDeep ? 16 : 8,
                maximumPixelCount: options.limits.maximumPixelCount))
        return (chain, context)
    }

    func orientation(of header: ImageHeader) -> Orientation {
        options.appliesOrientation ? header.metadata.orientation : .up
    }

    func isAnimated(_ header: ImageHeader?) -> Bool {
        header?.sequence?.kind == .animation && options.imageIndex == nil
    }

    func container(_ bitmap: Bitmap, _ header: ImageHeader) -> ImageContainer {
        ImageContainer(image: Image(bitmap, format: header.format, scale: scale), type: header.format, header: header)
    }

    /// The container for the finished image of `source`, in the options' dynamic range: with its gain map for the range of
    /// the file, or with the map applied for a high one.
    ///
    /// A map that can't be used leaves the image as it is.
    func container(
        _ bitmap: Bitmap, _ header: ImageHeader, of source: @autoclosure () -> Source
    ) throws(ImageError) -> ImageContainer {
        var container = container(bitmap, header)
        guard options.dynamicRange != .standard,
            let map = try? ImageSource.gainMap(in: source(), header: header, options: options, registry: codecs)
        else { return container }
        let shown = try sizing(for: header).map { (chain, context) throws(ImageError) in
            try chain.gainMap(map, for: size(of: header), in: context)
        }
        guard let shown = shown ?? map else { return container }
        container.image = try container.image.withGainMap(shown).rendered(for: options.dynamicRange)
        return container
    }

    /// The container for a complete animation; nil if it has fewer than two frames, or none if damaged.
    func container(_ animation: ImageAnimation, _ data: Data) throws -> ImageContainer? {
        let error = animation.error
        guard let header = animation.header, animation.durations.count > (error == nil ? 1 : 0) else { return nil }
        let container = ImageContainer(
            image: try animation.decodedFrame(at: 0), type: header.format, data: data, header: header,
            animation: animation)
        if let error { throw ImageDecodingError.incomplete(container, error) }
        return container
    }
}

extension PictureDecoding {
    /// Decodes the bytes as an animation; nil if they aren't one.
    private func animated(_ bytes: [UInt8], _ data: Data) throws -> ImageContainer? {
        guard options.imageIndex == nil,
            case .match(let format, let traits) = codecs.identify(FormatProbe(whole: bytes.span.bytes)),
            // A GIF doesn't announce a second frame.
            traits.contains(.animated) || format == .gif
        else { return nil }
        let animation = ImageAnimation(self)
        // The error is in `animation.error`.
        _ = try? animation.append(data, isLast: true)
        return try container(animation, data)
    }

    /// Whether images are rendered with their gain maps, which needs their pixels.
    private var appliesGainMaps: Bool { if case .high = options.dynamicRange { true } else { false } }

    private func still(_ bytes: [UInt8]) throws -> ImageContainer {
        guard isDeferred, thumbnail == nil, !appliesGainMaps else { return try still(Source(bytes), plan) }
        let encoded = try EncodedImage(bytes, options: options, registry: codecs)
        let image = Image(deferred: encoded, scale: scale)
        let header = encoded.header
        if header.format == .jpng, JPNG.alwaysForcesDecompression { _ = try image.bitmap() }
        var container = ImageContainer(image: image, type: header.format, header: header)
        container.deferred = DeferredPicture(encoded, self)
        return container
    }

    /// Decodes the image, scaling it to the thumbnail's size row by row.
    private func still(
        _ source: Source, _ makePlan: (ImageHeader) throws(ImageError) -> EffectPlan?
    ) throws -> ImageContainer {
        guard thumbnail != nil else { return try whole(source, makePlan) }
        var plan: EffectPlan?
        var isPlanned = false
        do throws(ImageError) {
            let rows = try ImageRowSource(source, options: options, registry: codecs) {
                header throws(ImageError) in
                plan = try makePlan(header)
                isPlanned = true
                return plan?.decoding ?? .full
            }
            let bitmap = if let plan { try plan.apply(to: rows) } else { try rows.makeBitmap() }
            try rows.finish()
            return try container(bitmap, rows.header, of: source)
        } catch {
            // A damaged image is decoded again for its partial pixels; an invalid header or size has none.
            guard isPlanned else { throw error }
            return try whole(source) { _ in plan }
        }
    }

    /// Decodes the image, or the intact rows of a damaged one, with the plan that `makePlan` returns.
    func whole(
        _ source: Source, _ makePlan: (ImageHeader) throws(ImageError) -> EffectPlan? = { _ in nil }
    ) throws -> ImageContainer {
        var plan: EffectPlan?
        let decoded = try ImageSource.decode(source, options: options, registry: codecs) {
            header throws(ImageError) in
            plan = try makePlan(header)
            return plan?.decoding ?? .full
        }
        let bitmap = try plan?.apply(to: decoded.bitmap, turnedBy: orientation(of: decoded.header)) ?? decoded.bitmap
        let container = try container(bitmap, decoded.header, of: source)
        if let error = decoded.error { throw ImageDecodingError.incomplete(container, error) }
        return container
    }
}

/// An image whose pixels are decoded later, possibly only a part of them.
final class DeferredPicture: Sendable {
    private let encoded: EncodedImage
    private let decoding: PictureDecoding

    init(_ encoded: EncodedImage, _ decoding: PictureDecoding) {
        self.encoded = encoded
        self.decoding = decoding
    }

    var codecs: CodecRegistry { decoding.codecs }

    var bytes: [UInt8] { encoded.memory ?? [] }

    /// Decodes the image in full.
    /// - Throws: `ImageDecodingError.incomplete` with the partial pixels if the bytes are damaged.
    func decode() throws -> ImageContainer { try decoding.whole(Source(encoded.memory ?? [])) }
}
