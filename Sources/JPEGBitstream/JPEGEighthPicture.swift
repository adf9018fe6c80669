/// The planes of a JPEG at an eighth of its size.
package struct JPEGEighthPicture: Sendable {
    /// Where a component's samples are.
    package struct Plane: Hashable, Sendable {
        /// The first sample's place.
        package let offset: Int
        /// Samples from a row to the next.
        package let stride: Int
        /// How many of the picture's columns a sample stands for.
        package let columns: Int
        /// How many of the picture's rows a sample stands for.
        package let rows: Int
    }

    /// Columns of the picture, an eighth of the frame's, rounded up.
    package let width: Int
    /// Rows of the picture, an eighth of the frame's, rounded up.
    package let height: Int
    /// The planes, one for grey or three.
    package let planes: [Plane]
    /// The samples of all planes, 0 to 255.
    package var samples: [UInt8] = []

    /// The place of the first sample for a row of the picture.
    package func start(of row: Int, in plane: Int) -> Int {
        planes[plane].offset + row / planes[plane].rows * planes[plane].stride
    }
}
