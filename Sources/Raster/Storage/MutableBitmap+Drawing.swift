extension MutableBitmap {
    /// Copies what of `bitmap`, laid with its top left pixel on (`x`, `y`), lies within this one. Both are of one format;
    /// alpha isn't looked at.
    package mutating func draw(_ bitmap: Bitmap, x: Int, y: Int) { draw(bitmap.rows, x: x, y: y) }

    /// The same with rows.
    package mutating func draw(_ source: borrowing PixelRows, x: Int, y: Int) {
        precondition(source.format == info.format)
        let (left, right) = (max(0, x), min(info.size.width, x + source.width))
        let (top, bottom) = (max(0, y), min(info.size.height, y + source.count))
        guard left < right, top < bottom else { return }
        let pixel = info.format.bytesPerPixel
        var rows = mutableRows
        for row in top..<bottom {
            let bytes = source.bytes(row - y).extracting((left - x) * pixel..<(right - x) * pixel)
            var target = rows.bytes(row)
            target.withUnsafeMutableBytes { target in
                // The row has all pixels up to `right`, and `bytes` as many as lie between.
                bytes.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: target[left * pixel..<right * pixel])
                        .copyMemory(from: $0)
                }
            }
        }
    }
}
