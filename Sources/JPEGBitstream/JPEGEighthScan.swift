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
