internal import ImageFormats
internal import Raster

extension ServedPicture {
    /// Bytes of a decoded pixel.
    var pixelByteCount: Int { header.bitsPerChannel > 8 ? 8 : 4 }

    /// Bytes that decoding the whole file takes, without the delivered pixels.
    var decodingByteCount: Int { decodingCost(within: .max).byteCount }

    /// The cost of decoding the whole file, with its memory counted as at most `byteLimit`. The operator chose the
    /// files, so a larger one is decoded too.
    private func decodingCost(within byteLimit: Int) -> CodingCost {
        guard let codec = codecs.codec(for: header.format) else { return CodingCost() }
        var cost = codec.decodingCost(of: header)
        cost.byteCount = min(cost.byteCount, byteLimit)
        return cost
    }

    /// The cost of delivering a region's rows at `target`, without those rows.
    func rowsCost(_ region: PixelRect, at target: PixelSize, within byteLimit: Int) -> CodingCost {
        var cost = decodingCost(within: byteLimit)
        // A vector drawing is rasterized at the requested size.
        if isVector { cost = cost + pixels(target, copies: 1) }
        // An image that isn't stored upright is decoded as a whole first; a JPEG at a power-of-two scale.
        if header.metadata.orientation != .up {
            let decoded = header.format == .jpeg ? Self.decodedSize(region.size, at: target) : region.size
            cost = cost + pixels(decoded, copies: 2)
        }
        return cost + CodingCost(of: target, bytesPerPixel: 0, secondsPerMegapixel: 0.04)
    }

    /// The cost of a region's bitmap at `target`, including the bitmap.
    func bitmapCost(_ region: PixelRect, at target: PixelSize, within byteLimit: Int) -> CodingCost {
        guard !deliversRows(region, at: target) else {
            return rowsCost(region, at: target, within: byteLimit) + pixels(target, copies: 1)
        }
        let window = Self.decodedSize(region.size, at: target)
        var cost =
            pixels(window, copies: 3) + pixels(target, copies: 1)
            + CodingCost(of: window, bytesPerPixel: 0, secondsPerMegapixel: 0.03)
            + CodingCost(of: target, bytesPerPixel: 0, secondsPerMegapixel: 0.04)
        if !isEntered { cost = cost + decodingCost(within: byteLimit) }
        // Opening tiles happens once, and reading them can be cancelled.
        cost.endsWhenCancelled = true
        return cost
    }

    /// The memory of `copies` bitmaps of `size`.
    func pixels(_ size: PixelSize, copies: Int) -> CodingCost {
        CodingCost(
            of: size, bytesPerPixel: Double(copies * pixelByteCount), secondsPerMegapixel: 0, baseByteCount: 0)
    }

    /// The region's size at the smallest power-of-two scale that a decoder may deliver for `target`.
    static func decodedSize(_ part: PixelSize, at target: PixelSize) -> PixelSize {
        let least = DecodingPlan(targetSize: target).leastSize(of: part)
        var level = 0
        while part.width >> (level + 1) >= max(1, least.width), part.height >> (level + 1) >= max(1, least.height) {
            level += 1
        }
        return PixelSize(width: max(1, part.width >> level), height: max(1, part.height >> level))
    }
}
