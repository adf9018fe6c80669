/// The planes of a JPEG at an eighth of its size, bit-identical to libjpeg's.
package struct JPEGEighthPicture: Sendable {
    /// The layout of a component's samples.
    package struct Plane: Hashable, Sendable {
        /// The first sample's offset in a row of MCUs.
        let offset: Int
        /// Rows of samples in a row of MCUs.
        package let mcuRows: Int
        /// Samples from a row to the next.
        package let stride: Int
        /// Image columns for each sample.
        package let columns: Int
        /// Image rows for each sample.
        package let rows: Int
    }

    /// Columns of the picture, an eighth of the frame's, rounded up.
    package let width: Int
    /// Rows of the picture, an eighth of the frame's, rounded up.
    package let height: Int
    /// The planes, one for grey or three.
    package let planes: [Plane]
    /// The bytes that all planes of a row of MCUs take.
    package let mcuRowByteCount: Int
    /// The samples, 0 to 255, ordered by row of MCUs and then by plane. As many as have been decoded.
    package internal(set) var samples: [UInt8] = []

    /// The offset of the first sample for a row of the image.
    package func start(of row: Int, in plane: Int) -> Int {
        let plane = planes[plane]
        let sampleRow = row / plane.rows
        return sampleRow / plane.mcuRows * mcuRowByteCount + plane.offset + sampleRow % plane.mcuRows * plane.stride
    }
}

extension JPEGEighthPicture {
    /// An empty image; nil if libjpeg treats this sampling differently.
    package init?(shapeOf layout: JPEGTileLayout) {
        let luma = layout.components[0]
        guard luma.across * luma.down <= 8,
            layout.components.dropFirst().allSatisfy({ $0.across == 1 && $0.down == 1 })
        else { return nil }
        let isHalved = luma.across % 2 == 0 && luma.down % 2 == 0
        var planes: [Plane] = []
        var offset = 0
        for index in layout.components.indices {
            let isLuma = index == 0
            let side = !isLuma && isHalved ? 2 : 1
            let plane = Plane(
                offset: offset, mcuRows: isLuma ? luma.down : side,
                stride: layout.mcusAcross * (isLuma ? luma.across : side),
                columns: isLuma ? 1 : luma.across / side, rows: isLuma ? 1 : luma.down / side)
            offset += plane.stride * plane.mcuRows
            planes.append(plane)
        }
        self.planes = planes
        mcuRowByteCount = offset
        width = (layout.width + 7) / 8
        height = (layout.height + 7) / 8
    }
}

/// Decodes a JPEG at an eighth of its size from its entropy-coded data: reads DC values, and skips nearly all AC
/// coefficients.
///
/// Supports the usual kind of file: one scan of all components, sequential, Huffman-coded, 8 bits. For any other, and at
/// the first invalid bit, it returns nil, and a full decoder must report the error.
/// A ``JPEGTileIndexer`` produces the same image while its data arrives.
package struct JPEGEighthScan: Sendable {
    private let layout: JPEGTileLayout
    private let shape: JPEGEighthPicture

    /// Bytes that the image's planes take.
    package var byteCount: Int { shape.mcuRowByteCount * layout.mcusDown }
    /// The first byte of entropy-coded data, from the JPEG's first byte.
    package var dataOffset: Int { layout.dataOffset }

    /// Prepares for the JPEG whose bytes up to its first scan's data are given; nil if it isn't supported.
    package init?(header: RawSpan) {
        guard let layout = try? JPEGTileLayout(header: header), let shape = JPEGEighthPicture(shapeOf: layout)
        else { return nil }
        self.layout = layout
        self.shape = shape
    }

    /// The image, from the scan's entropy-coded data; nil if that is invalid.
    ///
    /// Takes time proportional to the bytes of the scan. Bytes after the scan's last block are ignored.
    package func decode(_ data: RawSpan) -> JPEGEighthPicture? {
        var indexer = JPEGTileIndexer(layout)
        indexer.append(data)
        indexer.finish()
        return indexer.index.isComplete && indexer.isEighthExact ? indexer.eighth : nil
    }
}
