internal import ImageFormats
internal import JPEGBitstream
internal import Raster

/// What one pass over a JPEG's entropy-coded data yields: where its parts begin, and the small levels.
struct JPEGScanResult: Sendable {
    let index: JPEGTileIndex
    /// An eighth of the picture, its half, and so on, as stored, in sRGB.
    let levels: [Bitmap]

    /// What keeps parts of the picture from being there.
    var error: ImageError? { index.failure.map { ImageError($0) } }

    /// Reads the data of the JPEG in `bytes` from its beginning to its end.
    /// - Parameter levels: The sizes of the levels from the eighth on.
    init(
        _ layout: JPEGTileLayout, _ bytes: PictureBytes, header: ImageHeader, levels sizes: [PixelSize]
    ) throws(ImageError) {
        var indexer = JPEGTileIndexer(layout)
        try bytes.read(from: layout.dataOffset) { piece in
            indexer.append(piece)
            return !indexer.isFinished
        }
        indexer.finish()
        index = indexer.index
        guard !sizes.isEmpty else {
            levels = []
            return
        }
        guard let eighth = indexer.eighth else {
            throw ImageError(.unsupported, "the JPEG's sampling is unusual")
        }
        var levels = [try eighth.makeBitmap(profile: header.profile).convertedToSRGB()]
        for size in sizes.dropFirst() { levels.append(try levels[levels.count - 1].resampled(to: size, filter: .area)) }
        self.levels = levels
    }
}
