extension Bitmap {
    /// A copy of the pixels in `region`.
    /// - Throws: `invalidParameter` when `region` isn't wholly inside.
    public func cropped(to region: PixelRect) throws(ImageError) -> Bitmap {
        try DecodingPlan(region: region).validate(for: size)
        guard region.size != size else { return self }
        var info = info
        info.size = region.size
        var result = try MutableBitmap(uninitialized: info)
        let (offset, byteCount) = (region.x * info.format.bytesPerPixel, info.rowByteCount)
        var target = result.mutableRows
        for y in 0..<region.height {
            var row = target.bytes(y)
            let source = rows.bytes(region.y + y).extracting(offset..<(offset + byteCount))
            row.withUnsafeMutableBytes { target in
                // Both are byteCount bytes long.
                source.withUnsafeBytes { target.copyMemory(from: $0) }
            }
        }
        return result.freeze()
    }
}
