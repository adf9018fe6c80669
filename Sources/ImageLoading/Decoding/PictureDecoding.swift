internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import Raster

/// How a request wants its picture decoded, and the decoding of one that is there as a whole.
struct PictureDecoding: Sendable {
    let options: DecodingOptions
    let thumbnail: ImageRequest.ThumbnailOptions?
    /// Pixels per point of what is made.
    let scale: Double
    /// Whether pixels are left to be decoded when they are asked for.
    let isDeferred: Bool
    let codecs: CodecRegistry

    init(_ request: ImageRequest, _ codecs: CodecRegistry) {
        options = request.decoding
        thumbnail = request.thumbnail
        scale = request.scale
        isDeferred = request.options.contains(.skipDecompression)
        self.codecs = codecs
    }

    /// Pictures in full, at `scale`.
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

    /// The picture in `source`, decoded while that is read; nil where all bytes are needed at once: of what is decoded later,
    /// or may be an animation.
    func decode(_ source: Source) throws -> ImageContainer? {
        guard !isDeferred else { return nil }
        var needsAllBytes = false
        do {
            return try still(source) { (header) throws(ImageError) in
                // A GIF needn't say anywhere that a second frame follows.
                needsAllBytes = isAnimated(header) || header.format == .gif && options.imageIndex == nil
                if needsAllBytes { throw ImageError(.cancelled, "an animation is decoded from all of its bytes") }
                return try plan(for: header)
            }
        } catch _ where needsAllBytes {
            return nil
        }
    }

    /// What is left to do with pixels of a picture of `header`, and how many are needed; nil where they are as wanted.
    func plan(for header: ImageHeader) throws(ImageError) -> EffectPlan? {
        guard let thumbnail else { return nil }
        let size = options.appliesOrientation ? header.size : header.storedSize
        let pixelsPerPoint = scale > 0 && scale.isFinite ? scale : DisplayScale.current
        let isVector = codecs.capabilities(of: header.format).contains(.vector)
        let chain = try ImageSizing(thumbnail).chain(for: size, scale: pixelsPerPoint, isVector: isVector)
        guard !chain.effects.isEmpty else { return nil }
        let isDeep = options.maximumBitsPerChannel > 8 && header.bitsPerChannel > 8
        let context = try EffectContext(
            options: EffectOptions(
                units: .pixels, filter: thumbnail.filter, bitsPerChannel: isDeep ? 16 : 8,
                maximumPixelCount: options.limits.maximumPixelCount))
        return try chain.plan(for: size, in: context, isVector: isVector)
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

    /// The container for an animation whose bytes are all there; nil where it has less than two frames.
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
    /// The animation, where the bytes are one that can be read as such.
    private func animated(_ bytes: [UInt8], _ data: Data) throws -> ImageContainer? {
        guard options.imageIndex == nil,
            case .match(let format, let traits) = codecs.identify(FormatProbe(whole: bytes.span.bytes)),
            // A GIF needn't say anywhere that a second frame follows.
            traits.contains(.animated) || format == .gif
        else { return nil }
        let animation = ImageAnimation(self)
        // What is wrong is found in the animation.
        _ = try? animation.append(data, isLast: true)
        return try container(animation, data)
    }

    private func still(_ bytes: [UInt8]) throws -> ImageContainer {
        guard isDeferred, thumbnail == nil else { return try still(Source(bytes), plan) }
        let encoded = try EncodedImage(bytes, options: options, registry: codecs)
        let image = Image(deferred: encoded, scale: scale)
        let header = encoded.header
        if header.format == .jpng, JPNG.alwaysForcesDecompression { _ = try image.bitmap() }
        var container = ImageContainer(image: image, type: header.format, header: header)
        container.deferred = DeferredPicture(encoded, self)
        return container
    }

    /// The picture, scaled to the thumbnail's size while its rows are decoded.
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
            return container(bitmap, rows.header)
        } catch {
            // Of a broken picture the rows there are; a header or a size that makes no sense has none.
            guard isPlanned else { throw error }
            return try whole(source) { _ in plan }
        }
    }

    /// The picture, or of a broken one the rows there are, decoded as `makePlan` says.
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
        let container = container(bitmap, decoded.header)
        if let error = decoded.error { throw ImageDecodingError.incomplete(container, error) }
        return container
    }
}

/// A picture that is left to be decoded by whoever needs its pixels, which may be fewer than all.
final class DeferredPicture: Sendable {
    private let encoded: EncodedImage
    private let decoding: PictureDecoding

    init(_ encoded: EncodedImage, _ decoding: PictureDecoding) {
        self.encoded = encoded
        self.decoding = decoding
    }

    var codecs: CodecRegistry { decoding.codecs }

    var bytes: [UInt8] { encoded.memory ?? [] }

    /// Decodes it in full.
    /// - Throws: Where the bytes are damaged, `ImageDecodingError.incomplete` with the pixels there are.
    func decode() throws -> ImageContainer { try decoding.whole(Source(encoded.memory ?? [])) }
}
