/// The colour space of stored values.
///
/// Raster only carries it; ImageFormats converts between profiles.
public enum ColorProfile: Hashable, Sendable {
    /// sRGB (IEC 61966-2-1), or sRGB's tone curve for grey. The default for images without colour information.
    case sRGB
    /// An ICC profile, with the bytes from the file.
    case icc([UInt8])
    /// Linear light raised to the power of 1/`gamma`, in primaries given by their chromaticities (nil: sRGB's).
    ///
    /// `gamma` is PNG's gAMA as written, the exponent of encoding: 0.45455 for a display of 2.2.
    case calibrated(gamma: Double, Chromaticities?)

    /// The CIE 1931 xy coordinates of a white point and three primaries.
    public struct Chromaticities: Hashable, Sendable {
        /// A point of the diagram.
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
