internal import Raster

extension PyramidTree {
    /// All that goes into the folder of tiles beside them.
    func documents(_ whole: WholePictures?) throws(ImageError) -> [(path: String, bytes: [UInt8])] {
        guard let whole else { return try innerDocuments(wholeSizes: []) }
        var documents: [(path: String, bytes: [UInt8])] = []
        var sizes: [PixelSize] = []
        var largest: [UInt8] = []
        for level in whole.levels {
            let size = geometry.levels[level]
            largest = try whole.picture(level)
            // A level of one tile is there as that tile.
            if geometry.columnCount(level) * geometry.rowCount(level) > 1 {
                documents.append((imagePath(region: "full", size: size), largest))
            }
            sizes.append(size)
        }
        documents.append((largestPath, largest))
        return try documents + innerDocuments(wholeSizes: sizes)
    }
}
