/// A few rows of a picture kept as separate planes of Y, Cb and Cr, each at its own resolution, as JPEG stores them.
///
/// Work on planes saves the conversion to RGB and back, and with 4:2:0 half of the samples. Full range, 8 bit
/// (JFIF 1.02: Y = 0.299 R + 0.587 G + 0.114 B, Cb and Cr centred on 128).
package struct PlanarStrip: Sendable {
    /// One component's rows.
    package struct Plane: Sendable {
        /// Samples in a row that belong to the picture.
        package let width: Int
        /// How many rows there is room for.
        package let height: Int
        /// Samples from one row's start to the next; what lies beyond `width` is padding.
        package let stride: Int
        /// `stride` × `height` samples, row after row.
        package var samples: [UInt8]

        /// A plane of zeros. Traps when `stride` is less than `width`.
        package init(width: Int, height: Int, stride: Int) {
            precondition(width >= 0 && height >= 0 && stride >= width)
            self.width = width
            self.height = height
            self.stride = stride
            samples = [UInt8](repeating: 0, count: stride * height)
        }
    }

    /// Y alone for grey, or Y, Cb and Cr.
    package var planes: [Plane]
    /// The picture's row that the strip begins with.
    package var firstRow: Int
    /// How many of the picture's rows the strip holds now.
    package var rowCount: Int

    /// A strip of `planes` that holds no row yet.
    package init(planes: [Plane]) {
        self.planes = planes
        firstRow = 0
        rowCount = 0
    }
}
