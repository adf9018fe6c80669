internal import Raster

extension Bitmap {
    /// `part` of the pixels at `place` of a canvas of `info`, otherwise transparent.
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

    /// The pixels of `rect`, which may extend beyond the image or lie outside it: the nearest edge pixel replaces
    /// missing ones.
    func clamped(to rect: PixelRect) throws(ImageError) -> Bitmap {
        var info = info
        info.size = rect.size
        var result = try MutableBitmap(uninitialized: info)
        try result.fill { (rows, range) throws(ImageError) in
            for y in range {
                let source = min(max(0, rect.y + y), height - 1)
                switch format {
                case .gray8: clampRow(source, x: rect.x, to: rows.row(y - range.lowerBound, as: Gray8.self))
                case .gray16: clampRow(source, x: rect.x, to: rows.row(y - range.lowerBound, as: Gray16.self))
                case .rgba8: clampRow(source, x: rect.x, to: rows.row(y - range.lowerBound, as: RGBA8.self))
                case .rgba16: clampRow(source, x: rect.x, to: rows.row(y - range.lowerBound, as: RGBA16.self))
                }
            }
        }
        return result.freeze()
    }

    private func clampRow<P: Pixel>(_ y: Int, x origin: Int, to target: consuming MutableSpan<P>) {
        let source = rows.row(y, as: P.self)
        let last = source.count - 1
        for x in target.indices { target[x] = source[min(max(0, origin + x), last)] }
    }
}
