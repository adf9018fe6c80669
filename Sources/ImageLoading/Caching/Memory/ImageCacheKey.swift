public import ImageEffects
internal import ImageFormats
internal import Raster

/// What a decoded picture is known by in memory: the picture, and what was made of it.
public struct ImageCacheKey: Hashable, Sendable {
    /// What the key consists of, shared between its copies, and what comparing takes, worked out once.
    private final class Parts: Sendable {
        let group: String
        let scale: Double
        let thumbnail: ImageRequest.ThumbnailOptions?
        let processors: [EffectIdentity]
        let processorBytes: [UInt8]
        let decoding: EffectIdentity?
        let hash: Int

        init(
            group: String, scale: Double, thumbnail: ImageRequest.ThumbnailOptions?, processors: [EffectIdentity],
            decoding: EffectIdentity?
        ) {
            self.group = group
            self.scale = scale
            self.thumbnail = thumbnail
            self.processors = processors
            self.decoding = decoding
            // Each identity's bytes say where they end, so two lists with the same bytes are the same.
            var bytes: [UInt8] = []
            bytes.reserveCapacity(processors.count * 96)
            for processor in processors { processor.write(to: &bytes) }
            processorBytes = bytes
            var hasher = Hasher()
            hasher.combine(group)
            hasher.combine(scale)
            if let thumbnail { hasher.combine(thumbnail) }
            if !processorBytes.isEmpty { hasher.combine(processorBytes) }
            if let decoding { hasher.combine(decoding) }
            hash = hasher.finalize()
        }
    }

    private let parts: Parts

    /// A key of these parts, for images that didn't come by a request; `ImagePipeline.Cache.makeImageCacheKey(for:)` makes
    /// that of a request.
    public init(
        group: String, scale: Double = 1, thumbnail: ImageRequest.ThumbnailOptions? = nil,
        processors: [EffectIdentity] = []
    ) {
        self.init(group: group, scale: scale, thumbnail: thumbnail, processors: processors, decoding: nil)
    }

    package init(
        group: String, scale: Double = 1, thumbnail: ImageRequest.ThumbnailOptions? = nil,
        processors: [EffectIdentity] = [], decoding: EffectIdentity?
    ) {
        parts = Parts(
            group: group, scale: scale, thumbnail: thumbnail, processors: processors, decoding: decoding)
    }

    /// The picture: its URL, as normalised by the pipeline, or its name.
    public var group: String { parts.group }
    /// Pixels per point.
    public var scale: Double { parts.scale }
    /// The size that it was decoded at; nil for its own.
    public var thumbnail: ImageRequest.ThumbnailOptions? { parts.thumbnail }
    /// What was done to it.
    public var processors: [EffectIdentity] { parts.processors }
    /// How it was decoded; nil for as usual.
    var decoding: EffectIdentity? { parts.decoding }

    /// Whether both are of the same picture, and the same was made of it.
    public static func == (a: ImageCacheKey, b: ImageCacheKey) -> Bool {
        let (a, b) = (a.parts, b.parts)
        if a === b { return true }
        return a.hash == b.hash && a.group == b.group && a.scale == b.scale && a.thumbnail == b.thumbnail
            && a.processorBytes == b.processorBytes && a.decoding == b.decoding
    }

    /// Hashes once what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts.hash) }
}

extension ImageCacheKey {
    /// Everything but the group as length-delimited bytes, the same in every run: a key for the disk cache.
    var variantBytes: [UInt8] {
        EffectIdentity(
            "variant", .number(scale), .identity(EffectIdentity("processors", processors)),
            .identity(thumbnail?.identity ?? EffectIdentity("full")),
            .identity(decoding ?? EffectIdentity("usual"))
        ).bytes
    }

    /// Whether both are the same picture, made the same way, perhaps of different sizes.
    func differsOnlyInThumbnail(from other: ImageCacheKey) -> Bool {
        group == other.group && scale == other.scale && processors == other.processors && decoding == other.decoding
            && thumbnail != other.thumbnail
    }

    /// The size in pixels that a picture under this key was asked for at; nil for its own.
    var wantedSize: (width: Double, height: Double)? { thumbnail?.pixelSize(scale: scale) }

    /// Whether a picture under this key has the pixels that `thumbnail` is made of: all of its own, or at least twice as
    /// many each way and nothing cut off.
    func isLarger(than thumbnail: ImageRequest.ThumbnailOptions, scale: Double) -> Bool {
        guard let own = wantedSize else { return true }
        let wanted = thumbnail.pixelSize(scale: scale)
        return self.thumbnail?.contentMode == .aspectFit && thumbnail.contentMode == .aspectFit
            && own.width >= 2 * wanted.width && own.height >= 2 * wanted.height
    }
}

extension ImageRequest.ThumbnailOptions {
    func pixelSize(scale: Double) -> (width: Double, height: Double) {
        let factor = unit == .points ? scale : 1
        return (width * factor, height * factor)
    }

    /// What tells results of these options from those of others.
    var identity: EffectIdentity {
        EffectIdentity(
            "thumbnail", .number(width), .number(height), .flag(unit == .pixels), .text(contentMode.rawValue),
            .text(filter.rawValue))
    }
}

extension DecodingOptions {
    /// What tells pictures decoded with these options from others; nil for the usual ones. Limits change no picture.
    var identity: EffectIdentity? {
        guard !isUsual else { return nil }
        return EffectIdentity(
            "decoding", .flag(color == .asStored), .integer(maximumBitsPerChannel), .flag(appliesOrientation),
            .flag(readsXMPOrientation), .integer(imageIndex ?? -1), .flag(jpng.snapsAlpha),
            .flag(jpng.repairsWhiteFlattening))
    }

    /// Whether pictures are decoded as they are unless a request says otherwise.
    private var isUsual: Bool {
        color == .sRGB && maximumBitsPerChannel == 8 && appliesOrientation && readsXMPOrientation && imageIndex == nil
            && !jpng.snapsAlpha && !jpng.repairsWhiteFlattening
    }
}
