public import ImageEffects

/// What a decoded picture is known by in memory: the picture, and what was made of it.
public struct ImageCacheKey: Hashable, Sendable {
    /// The picture: its URL, as normalised by the pipeline, or its name.
    public let group: String
    /// Pixels per point.
    public let scale: Double
    /// The size that it was decoded at; nil for its own.
    public let thumbnail: ImageRequest.ThumbnailOptions?
    /// What was done to it.
    public let processors: [EffectIdentity]
    /// How it was decoded, where that isn't as usual: as bytes.
    let decoding: [UInt8]
    private let hash: Int

    package init(
        group: String, scale: Double = 1, thumbnail: ImageRequest.ThumbnailOptions? = nil,
        processors: [EffectIdentity] = [], decoding: [UInt8] = []
    ) {
        self.group = group
        self.scale = scale
        self.thumbnail = thumbnail
        self.processors = processors
        self.decoding = decoding
        var hasher = Hasher()
        hasher.combine(group)
        hasher.combine(scale)
        hasher.combine(thumbnail)
        hasher.combine(processors)
        hasher.combine(decoding)
        hash = hasher.finalize()
    }

    /// Hashes once what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
