internal import ImageEffects
public import Raster

/// What several processors have in common.
public enum ImageProcessingOptions {
    /// What lengths count.
    public typealias Unit = ImageRequest.ThumbnailOptions.Unit

    /// A line along the inside of a picture's edge.
    public struct Border: Hashable, Sendable {
        /// The line's colour.
        public var color: RGBA8
        /// The line's width in `unit`s.
        public var width: Double
        /// What the width counts.
        public var unit: Unit

        /// A line of `color` and `width`.
        public init(color: RGBA8, width: Double = 1, unit: Unit = .points) {
            self.color = color
            self.width = width
            self.unit = unit
        }

        /// The line around corners of `radius` pixels of a picture with `scale` pixels to a point.
        func effect(radius: Double, scale: Double) -> Effects.Border {
            Effects.Border(color: color, width: unit.pixels(width, scale: scale), radius: radius)
        }

        var identity: EffectIdentity {
            EffectIdentity("border", .color(color), .number(width), .text(unit.name))
        }
    }
}

extension ImageProcessingOptions.Unit {
    /// A length in pixels of a picture with `scale` pixels to a point.
    func pixels(_ length: Double, scale: Double) -> Double { self == .points ? length * scale : length }

    /// The unit as identities say it.
    var name: String { self == .points ? "points" : "pixels" }
}
