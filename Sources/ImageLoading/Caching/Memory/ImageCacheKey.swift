public import ImageEffects

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

    package init(
        group: String, scale: Double = 1, thumbnail: ImageRequest.ThumbnailOptions? = nil,
        processors: [EffectIdentity] = [], decoding: EffectIdentity? = nil
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
