internal import Platform
package import Raster

/// Limits on the size of a rendered image.
package struct RenderingLimits: Hashable, Sendable {
    /// The most columns, before rotation.
    package var maximumWidth: Int
    /// The most rows, before rotation.
    package var maximumHeight: Int
    /// The most pixels, before rotation.
    package var maximumArea: Int
    /// The largest ratio of the result's width and height to the whole image's. At 1 or less, nothing is enlarged.
    package var maximumUpscaling: Double
    /// The most pixels of the canvas of an image rotated by other than a multiple of 90 degrees.
    package var maximumRotatedArea: Int

    /// 50 megapixels, 16384 along a side, four times the image's width and height, and 25 megapixels when rotated.
    package static let standard = RenderingLimits(
        maximumWidth: 16384, maximumHeight: 16384, maximumArea: 50_000_000, maximumUpscaling: 4,
        maximumRotatedArea: 25_000_000)

    /// Checks the size of a result, for every kind of request.
    /// - Throws: `limitExceeded` with the size and the limit.
    package func check(_ size: PixelSize) throws(ImageError) {
        guard size.width <= maximumWidth, size.height <= maximumHeight else {
            throw ImageError(
                .limitExceeded,
                "\(size) is more than the \(maximumWidth)x\(maximumHeight) allowed; ask for a smaller size")
        }
        guard size.pixelCount <= maximumArea else {
            throw ImageError(
                .limitExceeded, "\(size) is more than the \(maximumArea) pixels allowed; ask for a smaller size")
        }
    }

    /// Whether an unrotated result of this size is within the limits.
    func contains(_ size: PixelSize) -> Bool {
        size.width <= maximumWidth && size.height <= maximumHeight && size.pixelCount <= maximumArea
    }

    /// Whether results may be larger than their region of the source.
    package var allowsUpscaling: Bool { maximumUpscaling > 1 }

    /// The limits to declare for an image of `size`: at most `maximumUpscaling` times its sides.
    package func limits(for size: PixelSize) -> RenderingLimits {
        guard allowsUpscaling else { return self }
        let factor = min(maximumUpscaling, 1e6)
        var limits = self
        limits.maximumWidth = Int(min(Double(maximumWidth), Double(size.width) * factor))
        limits.maximumHeight = Int(min(Double(maximumHeight), Double(size.height) * factor))
        return limits
    }
}

/// The sizes that a region of an image can be scaled to.
struct ScalingBounds {
    /// The region's size in the source.
    let region: PixelSize
    let limits: RenderingLimits
    /// The absolute cosine and sine of the rotation, by which width and height contribute to the canvas; nil for
    /// multiples of 90 degrees, where the canvas has the image's size.
    private let turn: (along: Double, across: Double)?

    /// The bounds for a region that is rotated by `degrees`, within the image's own limits.
    init(region: PixelSize, limits: RenderingLimits, degrees: Double) {
        self.region = region
        self.limits = limits
        if degrees.remainder(dividingBy: 90) == 0 {
            turn = nil
        } else {
            let angle = degrees * .pi / 180
            turn = (abs(cos(angle)), abs(sin(angle)))
        }
    }

    /// Whether a size is within the limits, including that of a rotated canvas.
    func contains(_ size: PixelSize) -> Bool {
        limits.contains(size)
            && rotatedArea(Double(size.width), Double(size.height)) <= Double(limits.maximumRotatedArea)
    }

    /// The pixels of the canvas for a rotated image of this size (IIIF Image API 3.0, implementation notes, 5); 0 for
    /// multiples of 90 degrees.
    private func rotatedArea(_ width: Double, _ height: Double) -> Double {
        guard let turn else { return 0 }
        return (width * turn.along + height * turn.across).rounded(.up)
            * (height * turn.along + width * turn.across).rounded(.up)
    }

    /// The largest size with the region's proportions within `box` and the limits, at least 1 × 1.
    ///
    /// The limiting side is exact and the other is rounded. If the number of pixels is the limit, both are rounded down
    /// (IIIF Image API 3.0, implementation notes, 4).
    func largest(within box: PixelSize? = nil, enlarging: Bool) -> PixelSize {
        let width = min(limits.maximumWidth, box?.width ?? .max)
        let height = min(limits.maximumHeight, box?.height ?? .max)
        let byWidth = Double(width) / Double(region.width)
        let byHeight = Double(height) / Double(region.height)
        let byArea = areaScale
        let smallest = min(byWidth, byHeight, byArea)
        var size: PixelSize
        if smallest >= 1, !enlarging {
            size = region
        } else if smallest == byWidth {
            size = PixelSize(width: width, height: min(height, heightFor(width: width)))
        } else if smallest == byHeight {
            size = PixelSize(width: min(width, widthFor(height: height)), height: height)
        } else {
            size = PixelSize(
                width: max(1, Int(Double(region.width) * byArea)), height: max(1, Int(Double(region.height) * byArea)))
        }
        // Rounding up, or the minimum of one pixel, can exceed the limits slightly.
        if size.pixelCount > limits.maximumArea {
            if size.width >= size.height {
                size.width = max(1, limits.maximumArea / size.height)
            } else {
                size.height = max(1, limits.maximumArea / size.width)
            }
        }
        while !contains(size), size.pixelCount > 1 {
            if size.width >= size.height { size.width -= 1 } else { size.height -= 1 }
        }
        return size
    }

    /// The largest scale factor that keeps the result within the limits on its pixels and its canvas's.
    private var areaScale: Double {
        let (width, height) = (Double(region.width), Double(region.height))
        let scale = (Double(limits.maximumArea) / (width * height)).squareRoot()
        guard turn != nil else { return scale }
        return min(scale, (Double(limits.maximumRotatedArea) / rotatedArea(width, height)).squareRoot())
    }

    /// The height in proportion to a width.
    func heightFor(width: Int) -> Int { Self.side(region.height, for: width, of: region.width) }

    /// The width in proportion to a height.
    func widthFor(height: Int) -> Int { Self.side(region.width, for: height, of: region.height) }

    /// Scales `side` by `target / other`, to the nearest integer of at least 1. If `target` is the side of a halved
    /// level, returns the level's side instead, which is rounded up, so that tiles and levels have the same size in
    /// every request form.
    private static func side(_ side: Int, for target: Int, of other: Int) -> Int {
        // More than any image has, and within the range of Int.
        let exact = min(Double(side) * Double(target) / Double(other), 1e15)
        var factor = 2
        while factor / 2 < other {
            if (other + factor - 1) / factor == target {
                let level = (side + factor - 1) / factor
                if abs(Double(level) - exact) < 1 { return level }
            }
            factor *= 2
        }
        return max(1, Int(exact.rounded()))
    }
}
