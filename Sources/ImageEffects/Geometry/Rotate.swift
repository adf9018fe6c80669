public import Raster

extension Effects {
    /// Rotates the image clockwise; the canvas grows to hold all of it, transparent around it.
    ///
    /// A multiple of 90° only moves pixels. Other angles use the options' filter, by default cubic convolution, with
    /// antialiased edges. `area` counts as `bilinear`, since nothing is scaled.
    public struct Rotate: CodableEffect, TurningEffect {
        /// The effect's name in recipes.
        public static let name = "rotate"
        /// The angle in degrees, clockwise.
        public var degrees: Double

        /// Rotates clockwise by `degrees`.
        public init(degrees: Double) { self.degrees = degrees }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(degrees)) }

        /// The orientation whose correction is this rotation, for multiples of 90°; nil for other angles.
        var orientation: Orientation? {
            switch degrees.truncatingRemainder(dividingBy: 360) {
            case 0: .up
            case 90, -270: .right
            case 180, -180: .down
            case 270, -90: .left
            default: nil
            }
        }

        /// The smallest size that holds the rotated image.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            guard degrees.isFinite else {
                throw ImageError(.invalidParameter, "invalid angle \(degrees): degrees must be a finite number")
            }
            return try context.validated(
                orientation?.applied(to: size) ?? Rotation(of: size, degrees: degrees).target)
        }

        /// The rotated image.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            _ = try resultSize(of: bitmap.size, in: context)
            if let orientation { return try bitmap.oriented(by: orientation) }
            return try bitmap.turned(Rotation(of: bitmap.size, degrees: degrees), options: context.options)
        }
    }
}

extension ImageEffect where Self == Effects.Rotate {
    /// Rotates the image clockwise; the canvas grows to hold all of it, transparent around it.
    public static func rotate(degrees: Double) -> Self { Self(degrees: degrees) }
}

extension Effects {
    /// Mirrors the image.
    public struct Flip: CodableEffect, TurningEffect {
        /// The sides that change places.
        public enum Direction: String, Hashable, Sendable, Codable, CaseIterable {
            /// Left and right.
            case horizontal
            /// Top and bottom.
            case vertical
        }

        /// The effect's name in recipes.
        public static let name = "flip"
        /// The sides that change places.
        public var direction: Direction

        /// Flips in `direction`.
        public init(_ direction: Direction) { self.direction = direction }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .text(direction.rawValue)) }

        /// The orientation whose correction is this flip.
        var orientation: Orientation? { direction == .horizontal ? .upMirrored : .downMirrored }

        /// The mirrored image.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            try bitmap.oriented(by: direction == .horizontal ? .upMirrored : .downMirrored)
        }
    }
}

extension ImageEffect where Self == Effects.Flip {
    /// Mirrors the image: left and right, or top and bottom.
    public static func flip(_ direction: Effects.Flip.Direction) -> Self { Self(direction) }
}
