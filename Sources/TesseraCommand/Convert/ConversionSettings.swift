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
}
