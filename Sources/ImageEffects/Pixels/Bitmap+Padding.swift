internal import Raster

extension Bitmap {
    /// `part` of the pixels at `place` of a canvas of `info`, which is transparent elsewhere.
    func padded(to info: BitmapInfo, part: PixelRect, at place: PixelRect) throws(ImageError) -> Bitmap {
        var result = try MutableBitmap(uninitialized: info)
        let pixel = info.format.bytesPerPixel
        let (left, right) = (place.x * pixel, (place.x + place.width) * pixel)
        let (from, count) = (part.x * pixel, part.width * pixel)
        try result.fill { (rows, range) throws(ImageError) in
            for y in range {
                var row = rows.bytes(y - range.lowerBound)
                row.withUnsafeMutableBytes { target in
                    // All ranges are within the row: the place lies within the canvas.
                    guard y >= place.y, y < place.y + place.height else { return Self.clear(target) }
                    Self.clear(UnsafeMutableRawBufferPointer(rebasing: target[..<left]))
                    Self.clear(UnsafeMutableRawBufferPointer(rebasing: target[right...]))
                    self.rows.bytes(part.y + y - place.y).extracting(from..<(from + count)).withUnsafeBytes {
                        UnsafeMutableRawBufferPointer(rebasing: target[left..<right]).copyMemory(from: $0)
                    }
                }
            }
        }
        return result.freeze()
    }

    private static func clear(_ bytes: UnsafeMutableRawBufferPointer) {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
}
