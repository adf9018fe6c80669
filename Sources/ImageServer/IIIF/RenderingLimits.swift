internal import Platform
package import Raster

/// How large what is made of a picture may be.
package struct RenderingLimits: Hashable, Sendable {
    /// Columns of a result before it is turned.
    package var maximumWidth: Int
    /// Its rows.
    package var maximumHeight: Int
    /// Its pixels.
    package var maximumArea: Int
    /// How many times the whole picture's width and height a result may have. At 1 or less nothing is enlarged.
    package var maximumUpscaling: Double
    /// Pixels of a canvas that holds a picture turned by an angle other than 90, 180 or 270 degrees.
    package var maximumRotatedArea: Int

    /// 50 megapixels, 16384 on a side, four times the picture's own width and height, 25 megapixels when turned.
    package static let standard = RenderingLimits(
        maximumWidth: 16384, maximumHeight: 16384, maximumArea: 50_000_000, maximumUpscaling: 4,
        maximumRotatedArea: 25_000_000)

    /// Checks the size of a result, whatever route it is asked for by.
    /// - Throws: `limitExceeded`, with the size and the limit.
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

    /// Whether a result of this size is within them, if it isn't turned.
    func contains(_ size: PixelSize) -> Bool {
        size.width <= maximumWidth && size.height <= maximumHeight && size.pixelCount <= maximumArea
    }

    /// Whether results may be larger than the part that they are made of.
    package var allowsUpscaling: Bool { maximumUpscaling > 1 }

    /// Those for a picture of `size`, which are the ones to declare: `maximumUpscaling` times its own sides where that is
    /// less.
    package func limits(for size: PixelSize) -> RenderingLimits {
        guard allowsUpscaling else { return self }
        let factor = min(maximumUpscaling, 1e6)
        var limits = self
        limits.maximumWidth = Int(min(Double(maximumWidth), Double(size.width) * factor))
        limits.maximumHeight = Int(min(Double(maximumHeight), Double(size.height) * factor))
        return limits
    }
}

/// The sizes that a part of a picture can be scaled to.
struct ScalingBounds {
    /// The part's own size.
    let region: PixelSize
    let limits: RenderingLimits
    /// How wide and high the canvas of a turned picture is for each pixel of its width and of its height; nil where the
    /// canvas has as many pixels as the picture.
    private let turn: (along: Double, across: Double)?

    /// The sizes for a part of `region` that is turned by `degrees`, within limits that are the picture's.
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

    /// Whether a size is within the limits.
    func contains(_ size: PixelSize) -> Bool {
        limits.contains(size)
            && rotatedArea(Double(size.width), Double(size.height)) <= Double(limits.maximumRotatedArea)
    }

    /// The pixels of the canvas for a picture of this size (IIIF Image API 3.0, implementation notes, 5); none where it
    /// isn't turned, or by right angles.
    private func rotatedArea(_ width: Double, _ height: Double) -> Double {
        guard let turn else { return 0 }
        return (width * turn.along + height * turn.across).rounded(.up)
            * (height * turn.along + width * turn.across).rounded(.up)
    }

    /// The largest size of the region's proportions that is within `box` and the limits, and at least 1 × 1.
    ///
    /// The side that decides is exact, the other as near as it can be; where the number of pixels decides, both are
    /// rounded down (IIIF Image API 3.0, implementation notes, 4).
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
        // What was rounded up, or is a pixel at least, may be too much by a little.
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

    /// How many times the region's sides a result's can be for its number of pixels, and for those of its canvas.
    private var areaScale: Double {
        let (width, height) = (Double(region.width), Double(region.height))
        let scale = (Double(limits.maximumArea) / (width * height)).squareRoot()
        guard turn != nil else { return scale }
        return min(scale, (Double(limits.maximumRotatedArea) / rotatedArea(width, height)).squareRoot())
    }

    /// The height that goes with a width.
    func heightFor(width: Int) -> Int { Self.side(region.height, for: width, of: region.width) }

    /// The width that goes with a height.
    func widthFor(height: Int) -> Int { Self.side(region.width, for: height, of: region.height) }

    /// What `side` becomes when `other` becomes `target`: the nearest whole number, at least 1, but where `target` is that
    /// of a halved level, the level's side, which is rounded up. Thus tiles and levels have the same size however they
    /// are asked for.
    private static func side(_ side: Int, for target: Int, of other: Int) -> Int {
        // Far more than any picture has, and far less than an Int.
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
