public import ImageEffects
internal import ImageFormats
internal import Raster

/// The key of a decoded image in memory: the image, its size and its processing.
public struct ImageCacheKey: Hashable, Sendable {
    /// The key's parts, shared between its copies, with the hash and the bytes to compare computed once.
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
            // Each identity's encoding is self-delimiting, so equal bytes mean equal lists.
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

    /// A key for images that weren't loaded by a request; `ImagePipeline.Cache.makeImageCacheKey(for:)` returns that of
    /// a request.
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

    /// The image's URL, as normalised by the pipeline, or its name.
    public var group: String { parts.group }
    /// Pixels per point.
    public var scale: Double { parts.scale }
    /// The size that the image was decoded at; nil for full size.
    public var thumbnail: ImageRequest.ThumbnailOptions? { parts.thumbnail }
    /// The identities of the processors that were applied, in order.
    public var processors: [EffectIdentity] { parts.processors }
    /// The decoding options that differ from the usual ones; nil if none do.
    var decoding: EffectIdentity? { parts.decoding }

    /// Whether both are the same image, processed the same way.
    public static func == (a: ImageCacheKey, b: ImageCacheKey) -> Bool {
        let (a, b) = (a.parts, b.parts)
        if a === b { return true }
        return a.hash == b.hash && a.group == b.group && a.scale == b.scale && a.thumbnail == b.thumbnail
            && a.processorBytes == b.processorBytes && a.decoding == b.decoding
    }

    /// Feeds the precomputed hash to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts.hash) }
}

extension ImageCacheKey {
    /// All parts but the group as length-delimited bytes, the same in every run; used as key for the disk cache.
    var variantBytes: [UInt8] {
        EffectIdentity(
            "variant", .number(scale), .identity(EffectIdentity("processors", processors)),
            .identity(thumbnail?.identity ?? EffectIdentity("full")),
            .identity(decoding ?? EffectIdentity("usual"))
        ).bytes
    }

    /// Whether the keys differ in the thumbnail only.
    func differsOnlyInThumbnail(from other: ImageCacheKey) -> Bool {
        group == other.group && scale == other.scale && processors == other.processors && decoding == other.decoding
            && thumbnail != other.thumbnail
    }

    /// The requested size in pixels; nil for full size.
    var wantedSize: (width: Double, height: Double)? { thumbnail?.pixelSize(scale: scale) }

    /// Whether an image under this key can be scaled down to `thumbnail`: it has full size, or at least twice the width
    /// and height, uncropped.
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

    /// Identifies images made with these options.
    var identity: EffectIdentity {
        EffectIdentity(
            "thumbnail", .number(width), .number(height), .flag(unit == .pixels), .text(contentMode.rawValue),
            .text(filter.rawValue))
    }
}

extension DecodingOptions {
    /// Identifies images decoded with these options; nil for the usual ones. Limits don't count, as they change no
    /// pixels.
    var identity: EffectIdentity? {
        guard !isUsual else { return nil }
        return EffectIdentity(
            "decoding", .flag(color == .asStored), .integer(maximumBitsPerChannel), .flag(appliesOrientation),
            .flag(readsXMPOrientation), .integer(imageIndex ?? -1), .flag(jpng.snapsAlpha),
            .flag(jpng.repairsWhiteFlattening), .number(dynamicRange.identity))
    }

    /// Whether these are the options of a request that sets none.
    private var isUsual: Bool {
        color == .sRGB && maximumBitsPerChannel == 8 && appliesOrientation && readsXMPOrientation && imageIndex == nil
            && !jpng.snapsAlpha && !jpng.repairsWhiteFlattening && dynamicRange == .standard
    }
}

extension DynamicRange {
    /// The headroom; 0 for standard range, and -1 for the file's.
    fileprivate var identity: Double {
        switch self {
        case .standard: 0
        case .asStored: -1
        case .high(let headroom): headroom
        }
    }
}
