internal import Tessera

/// What is to happen to every picture of a conversion.
struct ConversionSettings: Sendable {
    /// The box to fit in; nil to keep the size.
    var size: PixelSize?
    /// What becomes of colours.
    var color: DecodingOptions.Color
    /// Bits per channel, at most; nil for what input and format have.
    var depth: Int?
    /// How to write.
    var encoding: EncodingOptions
    /// Whether a JPNG becomes a PNG where that is smaller.
    var choosesSmallest: Bool
    /// Whether what there is of a damaged picture is written.
    var keepsPartial: Bool
    /// Whether existing files may be replaced.
    var overwrites: Bool
}
