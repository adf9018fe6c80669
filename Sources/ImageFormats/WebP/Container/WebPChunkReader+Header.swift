#if WebP
internal import Raster

extension WebPChunkReader {
    /// What the chunks so far say of a picture, or an animation, of `canvas`.
    func header(_ canvas: PixelSize, limits: DecodingLimits) throws(ImageError) -> ImageHeader {
        try limits.check(canvas, format: .webP)
        var metadata = ImageMetadata(exif: exif, xmp: xmp)
        if !isEXIFLate, let exif = exif.flatMap({ EXIF($0) }) {
            metadata.orientation = exif.orientation ?? .up
            metadata.resolution = exif.resolution
        }
        // A profile for greys or inks would do harm; bytes 16 to 19 say what it is for (ICC.1:2010, 7.2).
        let isForColors = profile.map { $0.count >= 128 && $0[16..<20].elementsEqual("RGB ".utf8) } ?? false
        return ImageHeader(
            format: .webP, storedSize: canvas, colorModel: .rgb, profile: isForColors ? .icc(profile!) : .sRGB,
            sequence: isAnimated
                ? ImageSequence(.animation, count: knownFrameCount, loopCount: loopCount) : nil,
            metadata: metadata)
    }
}
#endif
