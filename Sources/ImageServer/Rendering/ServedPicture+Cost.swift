internal import ImageFormats
internal import Raster

extension ServedPicture {
    /// Bytes of a pixel once it is decoded.
    var pixelByteCount: Int { header.bitsPerChannel > 8 ? 8 : 4 }

    /// Bytes that decoding the whole file takes, beside the pixels handed out.
    var decodingByteCount: Int { decodingCost(within: .max).byteCount }

    /// What decoding the whole file takes. One that takes more than `byteLimit` is the operator's own: it is decoded all the
    /// same, and counted as that.
    private func decodingCost(within byteLimit: Int) -> CodingCost {
        guard let codec = codecs.codec(for: header.format) else { return CodingCost() }
        var cost = codec.decodingCost(of: header)
        cost.byteCount = min(cost.byteCount, byteLimit)
        return cost
    }

    /// What delivering the rows of a part at `target` takes, beside those rows.
    func rowsCost(_ region: PixelRect, at target: PixelSize, within byteLimit: Int) -> CodingCost {
        var cost = decodingCost(within: byteLimit)
        // A drawing is drawn at the size that is asked for.
        if isVector { cost = cost + pixels(target, copies: 1) }
        // A picture that has to be turned is decoded first, scaled by half steps where the format can.
        if header.metadata.orientation != .up {
            let decoded = header.format == .jpeg ? Self.decodedSize(region.size, at: target) : region.size
            cost = cost + pixels(decoded, copies: 2)
        }
        return cost + CodingCost(of: target, bytesPerPixel: 0, secondsPerMegapixel: 0.04)
    }

    /// What a bitmap of a part at `target` takes, the bitmap included.
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
        // Opening its tiles and using them can be stopped, or is done once.
        cost.endsWhenCancelled = true
        return cost
    }

    /// `copies` bitmaps of `size`, and nothing else.
    func pixels(_ size: PixelSize, copies: Int) -> CodingCost {
        CodingCost(
            of: size, bytesPerPixel: Double(copies * pixelByteCount), secondsPerMegapixel: 0, baseByteCount: 0)
    }

    /// A part's size in the smallest level, by halves, that a decoder may deliver for `target`.
    static func decodedSize(_ part: PixelSize, at target: PixelSize) -> PixelSize {
        let least = DecodingPlan(targetSize: target).leastSize(of: part)
        var level = 0
        while part.width >> (level + 1) >= max(1, least.width), part.height >> (level + 1) >= max(1, least.height) {
            level += 1
        }
        return PixelSize(width: max(1, part.width >> level), height: max(1, part.height >> level))
    }
}
