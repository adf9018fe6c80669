internal import Raster

/// Puts the pixels of a tile side by side, in the form in which a store keeps them.
struct TilePixels {
    let order: TextureBuffer.Order

    /// Fills the tile at `target` with `rows`, of RGBA or grey, and what is left of each row with zeros.
    func fill(_ target: UnsafeMutableRawPointer, with rows: borrowing PixelRows) {
        let (width, stride) = (rows.width, RawTileStore.bytesPerRow)
        precondition(width <= RawTileStore.tileSize && rows.count <= RawTileStore.tileSize)
        let (isGray, count, sourceStride) = (rows.format.isGray, rows.count, rows.bytesPerRow)
        rows.withUnsafeBase { source in
            for y in 0..<count {
                // The tile has room for as many rows, and `stride` bytes in each; the source has `width` pixels in each.
                let row = target + y * stride
                let pixels = row.assumingMemoryBound(to: UInt32.self)
                if isGray {
                    let grays = (source + y * sourceStride).assumingMemoryBound(to: UInt8.self)
                    // The same in either order.
                    for x in 0..<width { pixels[x] = (UInt32(grays[x]) &* 0x01_0101 | 0xFF00_0000).littleEndian }
                } else if order == .bgra {
                    let colors = (source + y * sourceStride).assumingMemoryBound(to: UInt32.self)
                    for x in 0..<width {
                        let value = UInt32(littleEndian: colors[x])
                        pixels[x] = (value & 0xFF00_FF00 | (value & 0xFF) << 16 | value >> 16 & 0xFF).littleEndian
                    }
                } else {
                    row.copyMemory(from: source + y * sourceStride, byteCount: width * 4)
                }
                if width < RawTileStore.tileSize {
                    (row + width * 4).initializeMemory(as: UInt8.self, repeating: 0, count: stride - width * 4)
                }
            }
        }
    }
}
