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

extension EffectContext {
    /// A part of a whole.
    ///
    /// `name` says in the error what it is.
    /// - Throws: `invalidParameter` when it isn't a number from 0 to 1.
    @discardableResult
    func fraction(_ value: Double, _ name: @autoclosure () -> String) throws(ImageError) -> Double {
        guard value >= 0, value <= 1 else {
            throw ImageError(.invalidParameter, "\(name()) of \(value) is not from 0 to 1")
        }
        return value
    }
}

/// How effects do their work, whichever they are.
public struct EffectOptions: Hashable, Sendable, Codable {
    /// What the lengths in effects count.
    public enum Units: Hashable, Sendable, Codable {
        /// Points of the picture's own scale.
        case points
        /// Points of `scale` pixels each, which is the result's scale. An image of another scale keeps its size in points:
        /// its pixels are scaled once, together with the chain's first change of size.
        case pointsOf(scale: Double)
        /// Pixels, whatever the picture's scale.
        case pixels
    }

    /// What the lengths in effects count.
    public var units: Units
    /// How pixels of another size or at another angle are made.
    public var filter: ResamplingFilter
    /// Whether scaling, turning and blurring add up light instead of stored values (by the curve of sRGB).
    public var linearLight: Bool
    /// 8 or 16: what the work is done in, and the result.
    public var bitsPerChannel: Int
    /// The most pixels that any step may make.
    public var maximumPixelCount: Int

    /// Points of the picture's scale, the best filter, stored values of 8 bits, and at most 2²⁸ pixels (1 GiB).
    public init(
        units: Units = .points, filter: ResamplingFilter = .automatic, linearLight: Bool = false,
        bitsPerChannel: Int = 8, maximumPixelCount: Int = 1 << 28
    ) {
        self.units = units
        self.filter = filter
        self.linearLight = linearLight
        self.bitsPerChannel = bitsPerChannel
        self.maximumPixelCount = maximumPixelCount
    }

    /// What tells results of these options from those of others. Limits change no result and aren't in it.
    public var identity: EffectIdentity {
        let unit: EffectIdentity.Parameter =
            switch units {
            case .points: .text("points")
            case .pointsOf(let scale): .number(scale)
            case .pixels: .text("pixels")
            }
        return EffectIdentity(
            "options", unit, .text(filter.rawValue), .flag(linearLight), .integer(bitsPerChannel))
    }
}
