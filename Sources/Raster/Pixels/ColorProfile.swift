/// The colour space that stored values are meant in.
///
/// Raster only carries it; converting between profiles is the business of the floor that reads and writes formats.
public enum ColorProfile: Hashable, Sendable {
    /// sRGB (IEC 61966-2-1), or sRGB's tone curve for grey. What a picture that says nothing is taken for.
    case sRGB
    /// An ICC profile, its bytes as they stood in the file.
    case icc([UInt8])
    /// Values raised to 1/`gamma` of light, in primaries given by their chromaticities (nil: sRGB's).
    ///
    /// `gamma` is PNG's gAMA as written, the exponent of encoding: 0.45455 for a display of 2.2.
    case calibrated(gamma: Double, Chromaticities?)

    /// The CIE 1931 xy coordinates of a white point and three primaries.
    public struct Chromaticities: Hashable, Sendable {
        /// One point of the diagram.
        public struct Point: Hashable, Sendable {
            /// CIE x.
            public var x: Double
            /// CIE y.
            public var y: Double

            /// The point (`x`, `y`).
            public init(x: Double, y: Double) {
                self.x = x
                self.y = y
            }
        }

        /// The white point.
        public var white: Point
        /// The red primary.
        public var red: Point
        /// The green primary.
        public var green: Point
        /// The blue primary.
        public var blue: Point

        /// A white point and three primaries.
        public init(white: Point, red: Point, green: Point, blue: Point) {
            self.white = white
            self.red = red
            self.green = green
            self.blue = blue
        }
    }
}
