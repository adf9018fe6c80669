import ImageFormats
import Raster

/// Draws the files that the jobs begin with, in the current folder.
func makeSamples() throws {
    try Image(drawing(PixelSize(width: 1600, height: 1200), phase: 0)).write(to: "photo.jpg")
    let party = try AtomicFile(path: "party.gif", overwrites: true)
    try ImageDestination(format: .gif).encode(count: 3, to: party) { (index) throws(ImageError) in
        (try drawing(PixelSize(width: 120, height: 90), phase: 40 * index), 0.1)
    }
    try party.commit()
}

/// Two gradients with a grid.
private func drawing(_ size: PixelSize, phase: Int) throws(ImageError) -> Bitmap {
    var canvas = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
    var rows = canvas.mutableRows
    for y in 0..<rows.count {
        var row = rows.row(y, as: RGBA8.self)
        for x in row.indices {
            let isLine = (x + phase) % 40 == 0 || y % 40 == 0
            row[x] = RGBA8(UInt8(255 * x / size.width), UInt8(255 * y / size.height), isLine ? 255 : 90, 255)
        }
    }
    return canvas.freeze()
}
