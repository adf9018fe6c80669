public import Raster

/// The options and the scale that an effect is applied with.
public struct EffectContext: Hashable, Sendable {
    /// The options.
    public let options: EffectOptions
    /// Pixels per unit of length: the scale for points, 1 for pixels.
    public let pixelsPerUnit: Double

    /// The context for an image with `scale` pixels to a point.
    /// - Throws: `invalidParameter` for a scale that isn't a positive number, or a depth other than 8 or 16 bits.
    public init(options: EffectOptions = EffectOptions(), scale: Double = 1) throws(ImageError) {
        pixelsPerUnit =
            switch options.units {
            case .points: scale
            case .pointsOf(let explicit): explicit
            case .pixels: 1
            }
        guard pixelsPerUnit > 0, pixelsPerUnit.isFinite else {
            throw ImageError(.invalidParameter, "invalid scale \(pixelsPerUnit): it must be a finite number above 0")
        }
        guard options.bitsPerChannel == 8 || options.bitsPerChannel == 16 else {
            throw ImageError(
                .invalidParameter, "invalid depth \(options.bitsPerChannel): effects work with 8 or 16 bits per channel"
            )
        }
        self.options = options
    }

    /// A length in pixels.
    ///
    /// `name` is the length's name in the error message.
    /// - Throws: `invalidParameter` if it isn't a number or exceeds 2²⁴ pixels.
    public func pixels(_ length: Double, _ name: @autoclosure () -> String) throws(ImageError) -> Double {
        let pixels = length * pixelsPerUnit
        // Every image has fewer pixels along a side, and such lengths can be rounded to integers and added without
        // overflow.
        guard pixels.magnitude <= Double(1 << 24) else {
            throw ImageError(
                .invalidParameter, "\(name()) of \(length) is out of range: the limit is \(1 << 24) pixels")
        }
        return pixels
    }

    /// A length in pixels of at least 0.
    /// - Throws: `invalidParameter` as `pixels(_:_:)`, and for a negative length.
    public func nonNegativePixels(_ length: Double, _ name: @autoclosure () -> String) throws(ImageError) -> Double {
        let pixels = try pixels(length, name())
        guard pixels >= 0 else {
            throw ImageError(.invalidParameter, "\(name()) of \(length) is negative: it must be at least 0")
        }
        return pixels
    }

    /// Checks the size of a step's result.
    /// - Throws: `invalidParameter` for an empty size, `limitExceeded` for too many pixels.
    @discardableResult
    public func validated(_ size: PixelSize) throws(ImageError) -> PixelSize {
        guard !size.isEmpty else {
            throw ImageError(.invalidParameter, "invalid size \(size): width and height must be at least 1")
        }
        guard size.pixelCount <= options.maximumPixelCount else {
            throw ImageError(
                .limitExceeded,
                "the result of \(size) has too many pixels; the limit is \(options.maximumPixelCount) "
                    + "(EffectOptions.maximumPixelCount)"
            )
        }
        return size
    }
}

extension EffectContext {
    /// A fraction from 0 to 1.
    ///
    /// `name` is its name in the error message.
    /// - Throws: `invalidParameter` if it isn't a number from 0 to 1.
    @discardableResult
    func fraction(_ value: Double, _ name: @autoclosure () -> String) throws(ImageError) -> Double {
        guard value >= 0, value <= 1 else {
            throw ImageError(.invalidParameter, "\(name()) of \(value) is not from 0 to 1")
        }
        return value
    }
}

/// Settings shared by all effects.
public struct EffectOptions: Hashable, Sendable, Codable {
    /// The unit of lengths in effects.
    public enum Units: Hashable, Sendable, Codable {
        /// Points of the image's own scale.
        case points
        /// Points of `scale` pixels each, which is the result's scale. An image of another scale keeps its size in
        /// points: its pixels are scaled once, together with the chain's first change of size.
        case pointsOf(scale: Double)
        /// Pixels, whatever the image's scale.
        case pixels
    }

    /// The unit of lengths in effects.
    public var units: Units
    /// The filter for scaling and rotation.
    public var filter: ResamplingFilter
    /// Whether scaling, rotation and blurring work in linear light (by the curve of sRGB) instead of stored values.
    public var linearLight: Bool
    /// The depth of the work and of the result, 8 or 16.
    public var bitsPerChannel: Int
    /// The largest number of pixels that any step may make.
    public var maximumPixelCount: Int

    /// Points of the image's scale, the best filter, stored values of 8 bits, and at most 2²⁸ pixels (1 GiB).
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

    /// Distinguishes results of these options from those of others. It leaves out `maximumPixelCount`, which doesn't
    /// change results.
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
