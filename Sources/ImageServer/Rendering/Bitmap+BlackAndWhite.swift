package import Raster

extension Bitmap {
    /// The picture in black and white, nothing between: what is at least half as bright as white is white.
    package func inBlackAndWhite(_ background: RGBA8) throws(ImageError) -> Bitmap {
        let gray = try converted(to: .gray8, alpha: AlphaMode.none, background: background)
        var result = try gray.mutableCopy()
        var rows = result.mutableRows
        for y in 0..<gray.height {
            var row = rows.bytes(y)
            for x in 0..<gray.width {
                let value = row.unsafeLoad(fromByteOffset: x, as: UInt8.self)
                row.storeBytes(of: value < 128 ? 0 : 255, toByteOffset: x, as: UInt8.self)
            }
        }
        return result.freeze()
    }
}
