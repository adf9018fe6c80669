public import Raster

extension Effects {
    /// Turns the image clockwise; the canvas grows to hold all of it and is transparent beside it.
    ///
    /// A multiple of 90° only moves pixels. At other angles pixels are made by the options' filter, cubic convolution
    /// by default, and edges are antialiased. `area` counts as `bilinear`: nothing is scaled.
    public struct Rotate: CodableEffect {
        /// What recipes call it.
        public static let name = "rotate"
        /// How far, in degrees, clockwise.
        public var degrees: Double

        /// Turns clockwise by `degrees`.
        public init(degrees: Double) { self.degrees = degrees }

        /// Its name and its parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(degrees)) }

        /// The orientation that a turn by a multiple of 90° undoes; nil at other angles.
        private var orientation: Orientation? {
            switch degrees.truncatingRemainder(dividingBy: 360) {
            case 0: .up
            case 90, -270: .right
            case 180, -180: .down
            case 270, -90: .left
            default: nil
            }
        }

        /// The smallest size that holds the turned image.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            guard degrees.isFinite else {
                throw ImageError(.invalidParameter, "a turn by \(degrees) degrees makes no sense")
            }
            return try context.validated(
                orientation?.applied(to: size) ?? Rotation(of: size, degrees: degrees).target)
        }

        /// The turned image.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            _ = try resultSize(of: bitmap.size, in: context)
            if let orientation { return try bitmap.oriented(by: orientation) }
            return try bitmap.turned(Rotation(of: bitmap.size, degrees: degrees), options: context.options)
        }
    }
}

extension ImageEffect where Self == Effects.Rotate {
    /// Turns the image clockwise; the canvas grows to hold all of it and is transparent beside it.
    public static func rotate(degrees: Double) -> Self { Self(degrees: degrees) }
}

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
