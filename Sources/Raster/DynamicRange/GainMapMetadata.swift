/// The meaning of a gain map's pixels (ISO 21496-1, Adobe's gain map specification 1.0).
///
/// A pixel of the map, from 0 to 1, is a gain in stops: `minimum + (maximum - minimum) * pixel^(1 / gamma)`.
public struct GainMapMetadata: Hashable, Sendable {
    /// The parameters of a channel.
    public struct Channel: Hashable, Sendable {
        /// The gain of a pixel of 0, in stops (log2).
        public var minimum: Double
        /// The gain of a pixel of 1, in stops (log2).
        public var maximum: Double
        /// The exponent with which recovered values were encoded; above 0.
        public var gamma: Double
        /// Added to the base's linear light before it is multiplied by the gain; 1 is white.
        public var baseOffset: Double
        /// Subtracted from the product; 1 is white.
        public var alternateOffset: Double

        /// Parameters; the offsets default to 1/64, those of Adobe's specification.
        public init(
            minimum: Double, maximum: Double, gamma: Double = 1, baseOffset: Double = 1 / 64,
            alternateOffset: Double = 1 / 64
        ) {
            self.minimum = minimum
            self.maximum = maximum
            self.gamma = gamma
            self.baseOffset = baseOffset
            self.alternateOffset = alternateOffset
        }
    }

    /// Red's parameters, or those of all channels.
    public var red: Channel
    /// Green's parameters.
    public var green: Channel
    /// Blue's parameters.
    public var blue: Channel
    /// The headroom for which the base is made, in stops above white: 0 for standard range.
    public var baseHeadroom: Double
    /// The headroom from which on the gain applies in full, in stops above white.
    public var alternateHeadroom: Double
    /// Whether gains apply in the base's colour space; otherwise in the alternate rendition's.
    public var usesBaseColorSpace: Bool

    /// Metadata with a set of parameters for each channel.
    public init(
        red: Channel, green: Channel, blue: Channel, baseHeadroom: Double = 0, alternateHeadroom: Double,
        usesBaseColorSpace: Bool = true
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.baseHeadroom = baseHeadroom
        self.alternateHeadroom = alternateHeadroom
        self.usesBaseColorSpace = usesBaseColorSpace
    }

    /// Metadata with one set of parameters for all channels.
    public init(
        _ channel: Channel, baseHeadroom: Double = 0, alternateHeadroom: Double, usesBaseColorSpace: Bool = true
    ) {
        self.init(
            red: channel, green: channel, blue: channel, baseHeadroom: baseHeadroom,
            alternateHeadroom: alternateHeadroom, usesBaseColorSpace: usesBaseColorSpace)
    }

    /// The direction of the gain: whether the base is the rendition with the higher dynamic range.
    public var isBaseHigher: Bool { baseHeadroom > alternateHeadroom }

    /// The parameters of the three channels.
    package var channels: [Channel] { [red, green, blue] }

    /// Whether all channels have the same parameters.
    package var isUniform: Bool { red == green && green == blue }

    /// The signed weight of the gain for a display with `headroom`, in stops above white: from 0 for the base to 1 for
    /// the alternate rendition, or to -1 if that is the lower one.
    public func weight(forHeadroom headroom: Double) -> Double {
        let range = alternateHeadroom - baseHeadroom
        guard range != 0 else { return 0 }
        let weight = min(1, max(0, (headroom - baseHeadroom) / range))
        return range < 0 ? -weight : weight
    }
}

extension GainMapMetadata {
    /// The largest gain, headroom and offset that is accepted: 2^32 times white is more than any display's.
    static let limit = 32.0

    /// Checks that every number is finite and in a range that arithmetic in `Float` can hold.
    /// - Throws: `corrupt` for a gamma of 0, a minimum above the maximum, a negative headroom, or a number that isn't
    ///   finite or exceeds 32.
    package func validate() throws(ImageError) {
        func check(_ value: Double, _ range: ClosedRange<Double>, _ name: String) throws(ImageError) {
            // NaN is in no range.
            guard range.contains(value) else {
                throw ImageError(
                    .corrupt,
                    "invalid gain map: \(name) is \(value), expected \(range.lowerBound) to \(range.upperBound)")
            }
        }
        let signed = -Self.limit...Self.limit
        try check(baseHeadroom, 0...Self.limit, "the base's headroom")
        try check(alternateHeadroom, 0...Self.limit, "the alternate headroom")
        for channel in channels {
            try check(channel.maximum, signed, "the maximum gain")
            try check(channel.minimum, signed, "the minimum gain")
            try check(channel.gamma, 1 / 1024...1024, "gamma")
            try check(channel.baseOffset, signed, "the base's offset")
            try check(channel.alternateOffset, signed, "the alternate offset")
            guard channel.minimum <= channel.maximum else {
                throw ImageError(
                    .corrupt,
                    "invalid gain map: the minimum gain \(channel.minimum) is above the maximum \(channel.maximum)")
            }
        }
    }
}
