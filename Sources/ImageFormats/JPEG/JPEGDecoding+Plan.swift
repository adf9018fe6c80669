internal import CTesseraJPEG
internal import Raster

extension tessera_jpeg_decoding {
    /// Chooses the scale and the window that serve `plan`, which is valid for a picture of `storedSize`.
    ///
    /// The scale is the smallest of 1/8, 1/4, 1/2 and 1 at which the wanted part isn't smaller than the target. libjpeg
    /// could also do 3/8, 5/8 and so on, but without SIMD: 5/8 to 7/8 take longer than the whole picture does, 3/8
    /// longer than 1/2.
    mutating func setScale(for plan: DecodingPlan, storedSize: PixelSize) {
        let part = plan.regionSize(of: storedSize)
        let target = plan.targetSize ?? part
        // Rounded down: at a scale that has to round up, a small picture's last pixel would be mostly padding.
        scale =
            [1, 2, 4].first { scale in
                part.width * Int(scale) / 8 >= target.width && part.height * Int(scale) / 8 >= target.height
            } ?? 8
        guard let region = plan.region, region.size != storedSize else { return }
        let (left, top) = (region.x * Int(scale) / 8, region.y * Int(scale) / 8)
        let right = Self.scaled(region.x + region.width, scale)
        let bottom = Self.scaled(region.y + region.height, scale)
        // A JPEG's sides have 16 bits.
        window_x = UInt32(left)
        window_y = UInt32(top)
        window_width = UInt32(right - left)
        window_height = UInt32(bottom - top)
    }

    /// A side of `length` at `scale` eighths, as libjpeg rounds it.
    private static func scaled(_ length: Int, _ scale: UInt8) -> Int { (length * Int(scale) + 7) / 8 }
}
