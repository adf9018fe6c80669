/// The planes of a JPEG at an eighth of its size, to the bit as libjpeg decodes them.
package struct JPEGEighthPicture: Sendable {
    /// Where a component's samples are.
    package struct Plane: Hashable, Sendable {
        /// The first sample's place in a row of MCUs.
        let offset: Int
        /// Rows of samples in a row of MCUs.
        package let mcuRows: Int
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
    /// The bytes that all planes of a row of MCUs take.
    package let mcuRowByteCount: Int
    /// The samples, 0 to 255: row by row of MCUs, and for each plane by plane. As many as have come.
    package internal(set) var samples: [UInt8] = []

    /// The place of the first sample for a row of the picture.
    package func start(of row: Int, in plane: Int) -> Int {
        let plane = planes[plane]
        let sampleRow = row / plane.rows
        return sampleRow / plane.mcuRows * mcuRowByteCount + plane.offset + sampleRow % plane.mcuRows * plane.stride
    }
}

extension JPEGEighthPicture {
    /// The picture without its samples; nil where libjpeg has other ways with the sampling.
    init?(shapeOf layout: JPEGTileLayout) {
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

/// Reads an eighth of a JPEG's size out of its entropy-coded data: as good as nothing but DC values, and AC coefficients
/// are passed over unread.
///
/// Made for the sound file of the usual kind: one scan of all components, sequential, Huffman-coded, 8 bits. For any
/// other, and at the first bit that isn't as it should be, it declines, and a full decoder has to say what is wrong.
/// A ``JPEGTileIndexer`` gives the same picture, as far as its data goes.
package struct JPEGEighthScan: Sendable {
    private let layout: JPEGTileLayout
    private let shape: JPEGEighthPicture

    /// Bytes that the picture's planes will take.
    package var byteCount: Int { shape.mcuRowByteCount * layout.mcusDown }
    /// The first byte of entropy-coded data, from the JPEG's first byte.
    package var dataOffset: Int { layout.dataOffset }

    /// Prepares for the JPEG whose bytes up to its first scan's data are given; nil for one of another kind.
    package init?(header: RawSpan) {
        guard let layout = try? JPEGTileLayout(header: header), let shape = JPEGEighthPicture(shapeOf: layout)
        else { return nil }
        self.layout = layout
        self.shape = shape
    }

    /// The picture, from data that begins with the scan's entropy-coded data; nil where that isn't as it should be.
    ///
    /// Takes time proportional to the bytes of the scan. What follows the scan's last block isn't looked at.
    package func decode(_ data: RawSpan) -> JPEGEighthPicture? {
        var indexer = JPEGTileIndexer(layout)
        indexer.append(data)
        indexer.finish()
        return indexer.index.isComplete && indexer.isEighthExact ? indexer.eighth : nil
    }
}
