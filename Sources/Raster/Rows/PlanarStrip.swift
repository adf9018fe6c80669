/// A few rows of an image as separate planes of Y, Cb and Cr, each at its own resolution, as JPEG stores them.
///
/// Working on planes saves the conversion to RGB and back, and with 4:2:0 half of the samples. Full range, 8 bit
/// (JFIF 1.02: Y = 0.299 R + 0.587 G + 0.114 B, Cb and Cr centred on 128).
public struct PlanarStrip: Sendable {
    /// One component's rows.
    public struct Plane: Sendable {
        /// Samples in a row that belong to the image.
        public let width: Int
        /// The number of rows it can hold.
        public let height: Int
        /// Samples from one row's start to the next; those beyond `width` are padding.
        public let stride: Int
        /// `stride` × `height` samples, in row order.
        public var samples: [UInt8]

        /// A plane of zeros. Traps if `stride` is less than `width`.
        public init(width: Int, height: Int, stride: Int) {
            precondition(width >= 0 && height >= 0 && stride >= width)
            self.width = width
            self.height = height
            self.stride = stride
            samples = [UInt8](repeating: 0, count: stride * height)
        }
    }

    /// Y alone for grey, or Y, Cb and Cr.
    public var planes: [Plane]
    /// The image row at which the strip begins.
    public var firstRow: Int
    /// The number of image rows in the strip.
    public var rowCount: Int

    /// An empty strip with the given planes.
    public init(planes: [Plane]) {
        self.planes = planes
        firstRow = 0
        rowCount = 0
    }
}
