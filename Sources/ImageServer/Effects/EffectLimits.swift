/// How much one query may ask for.
package struct EffectLimits: Hashable, Sendable {
    /// Effects.
    package var maximumEffectCount: Int
    /// Masks and overlays, which are pictures to be read each.
    package var maximumPictureCount: Int

    package init(maximumEffectCount: Int = 16, maximumPictureCount: Int = 4) {
        self.maximumEffectCount = maximumEffectCount
        self.maximumPictureCount = maximumPictureCount
    }

    /// Sixteen effects, four of them with pictures.
    package static let standard = EffectLimits()
}
