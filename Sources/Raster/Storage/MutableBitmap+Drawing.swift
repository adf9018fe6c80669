extension MutableBitmap {
    /// Copies what of `bitmap`, laid with its top left pixel on (`x`, `y`), lies within this one. Both are of one format;
    /// alpha isn't looked at.
    package mutating func draw(_ bitmap: Bitmap, x: Int, y: Int) {
        precondition(bitmap.format == info.format)
        let (left, right) = (max(0, x), min(info.size.width, x + bitmap.width))
        let (top, bottom) = (max(0, y), min(info.size.height, y + bitmap.height))
        guard left < right, top < bottom else { return }
        let pixel = info.format.bytesPerPixel
        var rows = mutableRows
        for row in top..<bottom {
            let source = bitmap.rows.bytes(row - y).extracting((left - x) * pixel..<(right - x) * pixel)
            var target = rows.bytes(row)
            target.withUnsafeMutableBytes { target in
                // The row has all pixels up to `right`, and `source` as many as lie between.
                source.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: target[left * pixel..<right * pixel])
                        .copyMemory(from: $0)
                }
            }
        }
    }
}
