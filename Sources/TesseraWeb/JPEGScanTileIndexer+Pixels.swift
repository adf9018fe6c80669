internal import JPEGBitstream

extension JPEGScanTileIndexer {
    /// Rows of an eighth of the image as RGBA, of those that have arrived.
    func pixels(in rows: Range<Int>) -> [UInt8] {
        let tile = layout.tile
        let (width, height) = ((tile.width + 7) / 8, (tile.height + 7) / 8)
        let arrived = min(height, eighthRowCount * tile.mcuHeight / 8)
        let first = min(max(0, rows.lowerBound), arrived)
        let rows = first..<max(first, min(rows.upperBound, arrived))
        let (isGray, storesRGB) = (tile.componentCount == 1, tile.storesRGB)
        return [UInt8](unsafeUninitializedCapacity: rows.count * width * 4) { pixels, count in
            for y in rows {
                for x in 0..<width {
                    // In bounds: four bytes for each column of each row.
                    let place = ((y - first) * width + x) * 4
                    let a = eighthSample(0, x: x, y: y)
                    guard !isGray else {
                        JPEGEighthPicture.write((a, 0, 0), isGray: true, to: pixels, at: place)
                        continue
                    }
                    let (b, c) = (eighthSample(1, x: x, y: y), eighthSample(2, x: x, y: y))
                    JPEGEighthPicture.write(
                        storesRGB ? (a, b, c) : JPEGEighthPicture.rgb(a, b, c), isGray: false, to: pixels, at: place)
                }
            }
            count = rows.count * width * 4
        }
    }
}
