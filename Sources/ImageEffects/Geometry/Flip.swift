public import Raster

extension Effects {
    /// Exchanges left and right, or top and bottom.
    public struct Flip: CodableEffect {
        /// Which sides change places.
        public enum Direction: String, Hashable, Sendable, Codable, CaseIterable {
            /// Left and right.
            case horizontal
            /// Top and bottom.
            case vertical
        }

        /// What recipes call it.
        public static let name = "flip"
        /// Which sides change places.
        public var direction: Direction

        /// Flips in `direction`.
        public init(_ direction: Direction) { self.direction = direction }

        /// Its name and its parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .text(direction.rawValue)) }

        /// The same pixels the other way round.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            try bitmap.oriented(by: direction == .horizontal ? .upMirrored : .downMirrored)
        }
    }
}

extension ImageEffect where Self == Effects.Flip {
    /// Exchanges left and right, or top and bottom.
    public static func flip(_ direction: Effects.Flip.Direction) -> Self { Self(direction) }
}
