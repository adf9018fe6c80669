internal import ImageFormats
internal import Raster
internal import Tessera

/// The settings for all images of a conversion.
struct ConversionSettings: Sendable {
    /// The change of the pixels.
    var change: PixelChange
    /// The colour space of the output.
    var color: DecodingOptions.Color
    /// The metadata to keep.
    var keeping: MetadataPolicy
    /// The gain map that is written with the image.
    var gainMap = GainMapArgument.keep
    /// The dynamic range of the output.
    var dynamicRange = DynamicRange.standard
    /// Which of several images are written.
    var selection: PictureSelection
    /// The number of times that an animation plays, 0 for endless; nil to keep the input's.
    var loopCount: Int?
    /// The largest number of bits per channel; nil for that of input and format.
    var depth: Int?
    /// The limits for decoding.
    var limits: DecodingLimits
    /// The encoding options.
    var encoding: EncodingOptions
    /// Whether a JPNG becomes a PNG if that is smaller.
    var choosesSmallest: Bool
    /// Whether the intact part of a damaged image is written.
    var keepsPartial: Bool
    /// Whether existing files may be replaced.
    var overwrites = false
    /// Whether each output replaces its input, whose times of last access and change are kept.
    var replacesInputs = false
    /// The codecs for decoding and encoding.
    var registry = CodecRegistry.default

    /// Returns the size in pixels of the output for the image in `input`, of which only the header is read.
    /// - Parameter bounds: The output's box; nil for the one of all outputs.
    func outputSize(of input: InputLocation, within bounds: SizeArgument?) throws(ImageError) -> PixelSize {
        var options = DecodingOptions(color: color, limits: limits)
        if case .one(let index) = selection { options.imageIndex = index }
        let source = try input.open()
        guard !source.isStream else {
            throw ImageError(
                .invalidParameter, "--name needs the size before the conversion, and a pipe can be read only once")
        }
        let header = try ImageSource.header(of: source, options: options, registry: registry)
        return try change.replacingBounds(by: bounds).resultSize(of: header, registry)
    }
}

/// The change of an image's pixels between decoding and encoding.
enum PixelChange: Sendable {
    /// Resizes to fit within a box with a filter; nil leaves the size unchanged.
    case fitting(SizeArgument?, ResamplingFilter)
    /// Applies effects.
    case effects(EffectWork)

    /// Returns the change with another box to fit within; nil keeps the box.
    func replacingBounds(by bounds: SizeArgument?) -> PixelChange {
        guard let bounds, case .fitting(_, let filter) = self else { return self }
        return .fitting(bounds, filter)
    }

    /// Whether the pixels stay unchanged.
    var isNone: Bool { if case .fitting(nil, _) = self { true } else { false } }

    /// Whether the change is made of effects.
    var isEffects: Bool { if case .effects = self { true } else { false } }

    /// Returns the decoding plan for an image with `header`.
    func plan(for header: ImageHeader, _ registry: CodecRegistry) throws(ImageError) -> DecodingPlan {
        let capabilities = registry.capabilities(of: header.format)
        switch self {
        case .fitting(let bounds, _):
            return DecodingPlan(targetSize: bounds.map { header.size.fitted(within: $0, capabilities) })
        case .effects(let work):
            return try work.plan(for: header.size, isVector: capabilities.contains(.vector)).decoding
        }
    }

    /// Returns the size of the result for an image with `header`.
    func resultSize(of header: ImageHeader, _ registry: CodecRegistry) throws(ImageError) -> PixelSize {
        let capabilities = registry.capabilities(of: header.format)
        switch self {
        case .fitting(let bounds, _):
            return bounds.map { header.size.fitted(within: $0, capabilities) } ?? header.size
        case .effects(let work):
            return try work.plan(for: header.size, isVector: capabilities.contains(.vector)).resultSize
        }
    }

    /// Applies the change to `rows`, which were decoded as planned or larger.
    func applied(
        to rows: any RowSource, of header: ImageHeader, _ registry: CodecRegistry
    ) throws(ImageError) -> any RowSource {
        switch self {
        case .fitting(let bounds, let filter):
            let capabilities = registry.capabilities(of: header.format)
            guard let target = bounds.map({ header.size.fitted(within: $0, capabilities) }), target != rows.info.size
            else { return rows }
            return try ResamplingRowSource(rows, to: target, filter: filter)
        case .effects(let work):
            let isVector = registry.capabilities(of: header.format).contains(.vector)
            return try work.plan(for: header.size, isVector: isVector).apply(to: rows).makeRowSource()
        }
    }

    /// Returns the animation's frame at `index` with the change applied.
    func frame(at index: Int, of source: AnimatedImageSource) throws(ImageError) -> Bitmap {
        switch self {
        case .fitting(let bounds, let filter):
            let size = source.size.flatMap { size in bounds.map { size.fitted(within: $0.bounds(for: size)) } }
            return try source.frame(at: index, targetSize: size, filter: filter)
        case .effects(let work):
            return try work.applied(to: source.frame(at: index))
        }
    }
}

extension PixelSize {
    /// Returns the size of an image within `bounds`. Vector images fill the bounds; others aren't enlarged.
    fileprivate func fitted(within bounds: SizeArgument, _ capabilities: ImageCapabilities) -> PixelSize {
        fitted(within: bounds.bounds(for: self), enlarges: capabilities.contains(.vector))
    }
}
