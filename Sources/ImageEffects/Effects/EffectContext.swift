public import Raster

/// What an effect has to know beside the pixels.
public struct EffectContext: Hashable, Sendable {
    /// How the work is done.
    public let options: EffectOptions
    /// Pixels to a unit of length: the scale for points, 1 for pixels.
    public let pixelsPerUnit: Double

    /// The context for a picture with `scale` pixels to a point.
    /// - Throws: `invalidParameter` for a scale that isn't a positive number, or bits that are neither 8 nor 16.
    public init(options: EffectOptions = EffectOptions(), scale: Double = 1) throws(ImageError) {
        pixelsPerUnit =
            switch options.units {
            case .points: scale
            case .pointsOf(let explicit): explicit
            case .pixels: 1
            }
        guard pixelsPerUnit > 0, pixelsPerUnit.isFinite else {
            throw ImageError(.invalidParameter, "a scale of \(pixelsPerUnit) pixels to a point makes no sense")
        }
        guard options.bitsPerChannel == 8 || options.bitsPerChannel == 16 else {
            throw ImageError(
                .invalidParameter, "\(options.bitsPerChannel) bits to a channel: effects work with 8 or 16")
        }
        self.options = options
    }

    /// A length in pixels.
    ///
    /// `name` says in the error what it is the length of.
    /// - Throws: `invalidParameter` when it isn't a number, or is too large for any picture.
    public func pixels(_ length: Double, _ name: @autoclosure () -> String) throws(ImageError) -> Double {
        let pixels = length * pixelsPerUnit
        // Every picture has fewer pixels along a side; and so much can be rounded to an integer and added up.
        guard pixels.magnitude <= Double(1 << 24) else {
            throw ImageError(.invalidParameter, "\(name()) of \(length) makes no sense")
        }
        return pixels
    }

    /// A length in pixels that mustn't be negative.
    /// - Throws: `invalidParameter` as `pixels(_:_:)` does, and below 0.
    public func nonNegativePixels(_ length: Double, _ name: @autoclosure () -> String) throws(ImageError) -> Double {
        let pixels = try pixels(length, name())
        guard pixels >= 0 else { throw ImageError(.invalidParameter, "\(name()) of \(length) is less than nothing") }
        return pixels
    }

    /// Checks that a step may make a picture of `size`.
    /// - Throws: `invalidParameter` for a size without pixels, `limitExceeded` for too many.
    @discardableResult
    public func validated(_ size: PixelSize) throws(ImageError) -> PixelSize {
        guard !size.isEmpty else { throw ImageError(.invalidParameter, "a size of \(size) has no pixels") }
        guard size.pixelCount <= options.maximumPixelCount else {
            throw ImageError(
                .limitExceeded, "\(size) would be more than the \(options.maximumPixelCount) pixels allowed for effects"
            )
        }
        return size
    }
}
