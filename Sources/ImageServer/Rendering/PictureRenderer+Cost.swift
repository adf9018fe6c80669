package import ImageEffects
package import ImageFormats
internal import Platform
internal import Raster

// Measured on photographs: a bitmap effect takes 20 to 100 ns per pixel, with one bitmap in and one out.
extension PictureRenderer {
    /// An upper estimate of the cost of `render(_:of:)`.
    /// - Throws: `limitExceeded` for a size above the limits, `unsupported` for a format that can't be encoded.
    package func cost(of rendering: PictureRendering, of picture: ServedPicture) throws(ImageError) -> CodingCost {
        let upright = rendering.canvas ?? rendering.size
        try limits.check(upright)
        let result = rendering.rotation == 0 ? upright : Self.canvas(of: upright, turned: rendering.rotation)
        let encoding = try encodingCost(result, of: picture, as: rendering.format, quality: rendering.encodingQuality)
        guard !isStreamed(rendering, of: picture) else {
            return picture.rowsCost(rendering.region, at: rendering.size, within: decodingByteLimit) + encoding
        }
        let decoding = picture.bitmapCost(rendering.region, at: rendering.size, within: decodingByteLimit)
        let changing =
            rendering.keepsPixels
            ? CodingCost() : CodingCost(of: result, bytesPerPixel: 0, secondsPerMegapixel: 0.15)
        // Bitmaps before and after each step, and the result during encoding.
        let changed = picture.pixels(upright, copies: 1) + picture.pixels(result, copies: rendering.keepsPixels ? 0 : 2)
        let written = picture.pixels(result, copies: 1) + encoding
        return Self.peak([decoding, changed + changing, written])
    }

    /// An upper estimate of the cost of applying `plan` to an image and encoding the result.
    /// - Parameters:
    ///   - pictures: Masks and overlays.
    ///   - frameCount: The number of frames, each of which is decoded, processed and encoded.
    package func cost(
        of plan: EffectPlan, of picture: ServedPicture, as formats: OutputFormats, quality: Double?,
        pictures: [ServedPicture] = [], frameCount: Int = 1
    ) throws(ImageError) -> CodingCost {
        let opaque = try encodingCost(plan.resultSize, of: picture, as: formats.opaque, quality: quality)
        let transparent = try encodingCost(plan.resultSize, of: picture, as: formats.transparent, quality: quality)
        var encoding = opaque.byteCount > transparent.byteCount ? opaque : transparent
        encoding.seconds = max(opaque.seconds, transparent.seconds)
        encoding.endsWhenCancelled = opaque.endsWhenCancelled && transparent.endsWhenCancelled

        let part = plan.decoding.region ?? PixelRect(picture.size)
        if frameCount == 1, isStreamed(plan, of: picture) {
            return picture.rowsCost(part, at: plan.resultSize, within: decodingByteLimit) + encoding
        }
        var laidOver = CodingCost()
        for other in pictures {
            laidOver = laidOver + other.bitmapCost(PixelRect(other.size), at: other.size, within: decodingByteLimit)
        }
        let decoded = plan.decoding.leastSize(of: picture.size)
        let decoding = picture.bitmapCost(part, at: decoded, within: decodingByteLimit)
        let first = plan.placement?.canvas ?? decoded
        let largest = [decoded, first, plan.resultSize].max { $0.pixelCount < $1.pixelCount } ?? decoded
        let changing =
            picture.pixels(largest, copies: plan.remaining.isEmpty ? 2 : 3)
            + CodingCost(
                of: largest, bytesPerPixel: 0, secondsPerMegapixel: 0.1 * Double(plan.remaining.count + 1),
                baseByteCount: 0)
        let written = picture.pixels(plan.resultSize, copies: 1) + encoding
        var cost = laidOver + Self.peak([decoding, changing, written]).repeated(frameCount)
        if frameCount > 1 {
            // The animation's canvases, the source file and the encoded file.
            cost = cost + picture.pixels(picture.size, copies: 4)
            cost.byteCount += picture.file.byteCount + plan.resultSize.pixelCount * frameCount / 2
            // An animation can be cancelled between frames.
            cost.endsWhenCancelled = true
        }
        return cost
    }

    private func encodingCost(
        _ size: PixelSize, of picture: ServedPicture, as format: ImageFormat, quality: Double?
    ) throws(ImageError) -> CodingCost {
        let info = BitmapInfo(
            size: size, format: picture.pixelByteCount > 4 ? .rgba16 : .rgba8,
            alpha: picture.header.hasAlpha ? .straight : .none)
        return try ImageDestination(format: format, options: options(quality), registry: codecs).encodingCost(of: info)
    }

    /// The cost of consecutive steps: their total time, and the memory of the largest.
    private static func peak(_ steps: [CodingCost]) -> CodingCost {
        CodingCost(
            byteCount: steps.map(\.byteCount).max() ?? 0, seconds: steps.reduce(0) { $0 + $1.seconds },
            endsWhenCancelled: steps.allSatisfy(\.endsWhenCancelled))
    }

    /// The size of the canvas for an image rotated by an angle.
    private static func canvas(of size: PixelSize, turned degrees: Double) -> PixelSize {
        let (along, across) = (abs(cos(degrees * .pi / 180)), abs(sin(degrees * .pi / 180)))
        let (width, height) = (Double(size.width), Double(size.height))
        return PixelSize(
            width: Int((width * along + height * across).rounded(.up)),
            height: Int((height * along + width * across).rounded(.up)))
    }
}
