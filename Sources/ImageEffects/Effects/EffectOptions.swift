public import Raster

/// How effects do their work, whichever they are.
public struct EffectOptions: Hashable, Sendable, Codable {
    /// What the lengths in effects count.
    public enum Units: Hashable, Sendable, Codable {
        /// Points of the picture's own scale.
        case points
        /// Points of so many pixels each; the result has this scale.
        case pointsOf(scale: Double)
        /// Pixels, whatever the picture's scale.
        case pixels
    }

    /// What the lengths in effects count.
    public var units: Units
    /// How pixels of another size or at another angle are made.
    public var filter: ResamplingFilter
    /// Whether scaling, turning and blurring add up light instead of stored values (by the curve of sRGB).
    public var linearLight: Bool
    /// 8 or 16: what the work is done in, and the result.
    public var bitsPerChannel: Int
    /// The most pixels that any step may make.
    public var maximumPixelCount: Int

    /// Points of the picture's scale, the best filter, stored values of 8 bits, and at most 2²⁸ pixels (1 GiB).
    public init(
        units: Units = .points, filter: ResamplingFilter = .automatic, linearLight: Bool = false,
        bitsPerChannel: Int = 8, maximumPixelCount: Int = 1 << 28
    ) {
        self.units = units
        self.filter = filter
        self.linearLight = linearLight
        self.bitsPerChannel = bitsPerChannel
        self.maximumPixelCount = maximumPixelCount
    }

    /// What tells results of these options from those of others. Limits change no result and aren't in it.
    public var identity: EffectIdentity {
        let unit: EffectIdentity.Parameter =
            switch units {
            case .points: .text("points")
            case .pointsOf(let scale): .number(scale)
            case .pixels: .text("pixels")
            }
        return EffectIdentity(
            "options", unit, .text(filter.rawValue), .flag(linearLight), .integer(bitsPerChannel))
    }
}
