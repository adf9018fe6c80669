internal import ImageFormats
internal import Raster
internal import Tessera

/// What is to happen to every picture of a conversion.
struct ConversionSettings: Sendable {
    /// What becomes of the pixels.
    var change: PixelChange
    /// What becomes of colours.
    var color: DecodingOptions.Color
    /// What of the metadata goes along.
    var keeping: MetadataPolicy
    /// Which of several pictures are written.
    var selection: PictureSelection
    /// How often an animation is played, 0 for without end; nil: as often as the input.
    var loopCount: Int?
    /// Bits per channel, at most; nil for what input and format have.
    var depth: Int?
    /// How much a picture may ask for.
    var limits: DecodingLimits
    /// How to write.
    var encoding: EncodingOptions
    /// Whether a JPNG becomes a PNG where that is smaller.
    var choosesSmallest: Bool
    /// Whether what there is of a damaged picture is written.
    var keepsPartial: Bool
    /// Whether existing files may be replaced.
    var overwrites: Bool
    /// By what pictures are decoded and encoded.
    var registry = CodecRegistry.default
}

/// What becomes of a picture's pixels between its decoder and its encoder.
enum PixelChange: Sendable {
    /// They are made to fit within a box by a filter; nil: they stay as they are.
    case fitting(PixelSize?, ResamplingFilter)
    /// Effects are applied.
    case effects(EffectWork)

    /// Whether there is anything to do.
    var isNone: Bool { if case .fitting(nil, _) = self { true } else { false } }

    /// What to decode of the picture that `header` speaks of.
    func plan(for header: ImageHeader, _ registry: CodecRegistry) throws(ImageError) -> DecodingPlan {
        let capabilities = registry.capabilities(of: header.format)
        switch self {
        case .fitting(let bounds, _):
            return DecodingPlan(targetSize: bounds.map { header.size.fitted(within: $0, capabilities) })
        case .effects(let work):
            return try work.plan(for: header.size, isVector: capabilities.contains(.vector)).decoding
        }
    }

    /// `rows`, which were decoded as planned or larger, once changed.
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

    /// The animation's frame at `index`, once changed.
    func frame(at index: Int, of source: AnimatedImageSource) throws(ImageError) -> Bitmap {
        switch self {
        case .fitting(let bounds, let filter):
            let size = source.size.flatMap { size in bounds.map { size.fitted(within: $0) } }
            return try source.frame(at: index, targetSize: size, filter: filter)
        case .effects(let work):
            return try work.applied(to: source.frame(at: index))
        }
    }
}

extension PixelSize {
    /// The size that a picture of this one gets within `bounds`: a drawing fills them, pixels are not enlarged.
    fileprivate func fitted(within bounds: PixelSize, _ capabilities: ImageCapabilities) -> PixelSize {
        fitted(within: bounds, enlarges: capabilities.contains(.vector))
    }
}
