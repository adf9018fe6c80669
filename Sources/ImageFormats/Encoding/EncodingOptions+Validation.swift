public import Raster

extension EncodingOptions {
    /// Checks what no format could take.
    /// - Throws: `invalidParameter` for a number outside the range that its documentation gives. A quality of 0 is within:
    ///   it means the worst there is.
    public func validate() throws(ImageError) {
        for value in [quality, jpng.maskQuality ?? quality] where !(value >= 0 && value <= 1) {
            throw ImageError(.invalidParameter, "a quality of \(value) is not between 0 and 1")
        }
        for (size, what) in [
            (maximumPixelSize, "a maximum pixel size"), (maximumByteCount, "a maximum byte count"),
            (embeddedThumbnailSize, "a thumbnail size"),
        ] {
            if let size, size < 1 { throw ImageError(.invalidParameter, "\(what) of \(size) is not above 0") }
        }
        try Self.check(loopCount, 0...Int.max, "a loop count")
        try Self.check(png.compressionLevel, 0...9, "a compression level")
        try Self.check(webP.method, 0...6, "a WebP method")
        try Self.check(gif.maximumColorCount, 2...256, "a GIF palette size")
        try Self.check(avif.speed, 0...10, "an AVIF speed")
        try Self.check(jpegXL.effort, 1...9, "a JPEG XL effort")
        guard jpng.version == 1 || jpng.version == 2 else {
            throw ImageError(.invalidParameter, "JPNG has versions 1 and 2, not \(jpng.version)")
        }
        // TIFF 6.0, section 15: sides are multiples of 16.
        if let tile = tiff.tileSize, tile.isEmpty || !tile.width.isMultiple(of: 16) || !tile.height.isMultiple(of: 16) {
            throw ImageError(.invalidParameter, "a TIFF tile of \(tile) has sides that are not multiples of 16")
        }
    }

    private static func check(_ value: Int, _ range: ClosedRange<Int>, _ what: String) throws(ImageError) {
        guard range.contains(value) else {
            let wanted =
                range.upperBound == .max
                ? "\(range.lowerBound) or more" : "between \(range.lowerBound) and \(range.upperBound)"
            throw ImageError(.invalidParameter, "\(what) of \(value) is not \(wanted)")
        }
    }
}
