internal import Raster

extension ImageMetadata {
    /// Puts a thumbnail of `bitmap`, `pixelSize` pixels on its longer side at most, into the EXIF block, as good as there
    /// is room for it in a JPEG's EXIF segment. Where there is none the metadata stays as it is.
    mutating func addThumbnail(of bitmap: Bitmap, pixelSize: Int) {
        let block = EXIF.removingThumbnail(from: exif)
        // Its directory takes 42 bytes, a block made for it 26.
        let room = JPEGSegment.maximumByteCount - JPEGSegment.exifPrefix.count - (block?.count ?? 26) - 44
        guard room > 0, let jpeg = try? Self.thumbnail(of: bitmap, pixelSize: pixelSize, maximumByteCount: room)
        else { return }
        exif = EXIF.block(block, thumbnail: jpeg)
    }

    private static func thumbnail(
        of bitmap: Bitmap, pixelSize: Int, maximumByteCount: Int
    ) throws(ImageError) -> [UInt8] {
        let size = bitmap.size.fitted(within: PixelSize(width: pixelSize, height: pixelSize))
        var small = try bitmap.resampled(to: size)
        if small.profile != .sRGB {
            let straight = small.alpha == .premultiplied ? try small.converted(alpha: .straight) : small
            small = try SRGBRowSource(straight.makeRowSource()).makeBitmap()
        }
        let options = EncodingOptions(maximumByteCount: maximumByteCount)
        return try ImageDestination(format: .jpeg, options: options, registry: CodecRegistry([JPEGCodec()]))
            .encode(small)
    }
}
