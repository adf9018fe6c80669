internal import Raster

extension Effects {
    /// Computes each channel as a weighted sum of all four channels and a constant.
    ///
    /// Colours are straight, 0 to 1, as stored; results are clamped. Colours of alpha 0 count as black. `grayscale`,
    /// `sepia` and the others are those of W3C's Filter Effects Level 1, without linear light.
    public struct ColorMatrix: PixelEffect, SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "colorMatrix"
        /// Four rows of five: the weights of red, green, blue and alpha for the new red, and a constant from 0 to 1;
        /// then the same for green, blue and alpha.
        public var rows: [Double]

        /// The matrix of these 20 numbers, row by row.
        public init(_ rows: [Double]) { self.rows = rows }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            var identity = EffectIdentity(Self.name)
            identity.parameters = rows.map { .number($0) }
            return identity
        }

        func check(in context: EffectContext) throws(ImageError) { _ = try matrix() }

        private func matrix() throws(ImageError) -> PixelMatrix {
            // Beyond this the result is only black and white; below it sums can't overflow.
            guard rows.count == 20, rows.allSatisfy({ $0.magnitude <= 1e6 }) else {
                throw ImageError(
                    .invalidParameter, "a colour matrix has four rows of five numbers, none beyond 1000000")
            }
            return PixelMatrix(rows)
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            let matrix = try matrix()
            let isOpaque = !bitmap.alpha.hasAlpha && matrix.keepsOpaque
            return try bitmap.mapped(as: P.self, alpha: isOpaque ? .none : .premultiplied) { _, source, target in
                P.transform(source, by: matrix, to: &target)
            }
        }
    }
}

extension ImageEffect where Self == Effects.ColorMatrix {
    /// Computes each channel as a sum of all four and a constant, from four rows of five numbers.
    public static func colorMatrix(_ rows: [Double]) -> Self { Self(rows) }

    /// Converts to greyscale by the luminance of Rec. 709.
    public static var grayscale: Self { saturation(0) }

    /// Tints the image in the brown of old photographs: an `amount` of 0 changes nothing, 1 is fully brown.
    public static func sepia(_ amount: Double = 1) -> Self {
        let full = [0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131]
        return colors { row, column in
            let identity = row == column ? 1.0 : 0
            return identity + (full[3 * row + column] - identity) * amount
        }
    }

    /// Multiplies saturation: 0 is grey, 1 changes nothing, larger values are more colourful.
    public static func saturation(_ factor: Double) -> Self {
        let luminance = [0.2126, 0.7152, 0.0722]
        return colors { row, column in
            let identity = row == column ? 1.0 : 0
            return luminance[column] + (identity - luminance[column]) * factor
        }
    }

    /// Multiplies the colours: 0 is black, 1 changes nothing, larger values are lighter.
    public static func brightness(_ factor: Double) -> Self {
        colors { row, column in row == column ? factor : 0 }
    }

    /// Multiplies the distance from middle grey: 0 is grey, 1 changes nothing, larger values increase contrast.
    public static func contrast(_ factor: Double) -> Self {
        colors(constant: 0.5 - 0.5 * factor) { row, column in row == column ? factor : 0 }
    }

    private static func colors(constant: Double = 0, _ weight: (Int, Int) -> Double) -> Self {
        var rows: [Double] = []
        for row in 0..<3 {
            for column in 0..<3 { rows.append(weight(row, column)) }
            rows += [0, constant]
        }
        return Self(rows + [0, 0, 0, 1, 0])
    }
}
