public import Raster

/// The part of an image to draw, its size, and its position on a canvas.
///
/// The rest of the canvas is transparent.
public struct Placement: Hashable, Sendable {
    /// The size of the result.
    public var canvas: PixelSize
    /// The part of the image, wholly inside it.
    public var source: PixelRegion
    /// The position of that part: whole pixels of the canvas, empty if nothing is drawn.
    public var destination: PixelRect

    /// A placement of `source` at `destination` of a canvas.
    public init(canvas: PixelSize, source: PixelRegion, destination: PixelRect) {
        self.canvas = canvas
        self.source = source
        self.destination = destination
    }

    /// A placement of an image of `size` at `rect`, whole pixels that may extend beyond the canvas.
    public init(canvas: PixelSize, of size: PixelSize, at rect: PixelRect) {
        self.canvas = canvas
        let horizontal = Self.visible(length: size.width, at: rect.x, drawn: rect.width, canvas: canvas.width)
        let vertical = Self.visible(length: size.height, at: rect.y, drawn: rect.height, canvas: canvas.height)
        source = PixelRegion(
            x: horizontal.source.lowerBound, y: vertical.source.lowerBound,
            width: horizontal.source.upperBound - horizontal.source.lowerBound,
            height: vertical.source.upperBound - vertical.source.lowerBound)
        destination = PixelRect(
            x: horizontal.target.lowerBound, y: vertical.target.lowerBound, width: horizontal.target.count,
            height: vertical.target.count)
    }

    /// Along one side, the visible part of `length` pixels drawn as `drawn` pixels from `start`, and its position.
    private static func visible(
        length: Int, at start: Int, drawn: Int, canvas: Int
    ) -> (source: Range<Double>, target: Range<Int>) {
        let first = min(max(0, start), canvas)
        let end = max(first, min(canvas, start + drawn))
        let step = Double(length) / Double(drawn)
        let from = max(0, Double(first - start) * step)
        let to = min(Double(length), Double(end - start) * step)
        return (from..<max(from, to), first..<end)
    }

    /// Whether the part is drawn pixel for pixel, without scaling.
    var isUnscaled: Bool {
        source.width == Double(destination.width) && source.height == Double(destination.height)
            && source.x == source.x.rounded() && source.y == source.y.rounded()
    }

    /// Whether the drawing fills the canvas.
    var fillsCanvas: Bool { destination == PixelRect(canvas) }

    /// Draws `bitmap` in this placement.
    func draw(_ bitmap: Bitmap, options: EffectOptions) throws(ImageError) -> Bitmap {
        guard !destination.isEmpty else {
            var info = bitmap.info
            info.size = canvas
            info.alpha = .premultiplied
            return try MutableBitmap(info).freeze()
        }
        guard !isUnscaled else {
            return try lay(bitmap, PixelRect(x: Int(source.x), y: Int(source.y), size: destination.size))
        }
        let drawn = try bitmap.resampled(
            to: destination.size, region: source, filter: options.filter, linearLight: options.linearLight)
        return try lay(drawn, PixelRect(destination.size))
    }

    /// Draws from rows, which are scaled as they arrive. The destination must not be empty.
    func draw(_ rows: any RowSource, options: EffectOptions) throws(ImageError) -> Bitmap {
        let drawn = try ResamplingRowSource(
            rows, to: destination.size, region: source, filter: options.filter, linearLight: options.linearLight)
        return try lay(drawn.makeBitmap(), PixelRect(destination.size))
    }

    /// Puts `part` of an image at the destination on the canvas.
    private func lay(_ bitmap: Bitmap, _ part: PixelRect) throws(ImageError) -> Bitmap {
        guard !fillsCanvas else {
            return part == PixelRect(bitmap.size) ? bitmap : try bitmap.cropped(to: part)
        }
        var info = bitmap.info
        info.size = canvas
        if info.alpha == .none { info.alpha = .premultiplied }
        return try bitmap.padded(to: info, part: part, at: destination)
    }
}

extension PixelRect {
    init(x: Int, y: Int, size: PixelSize) {
        self.init(x: x, y: y, width: size.width, height: size.height)
    }
}

/// An effect that only crops and scales, so that its placement defines it.
protocol PlacedEffect: ImageEffect {
    /// As `placement(of:in:)`, but never nil.
    func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement
}

extension PlacedEffect {
    /// The image's placement.
    public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? {
        try place(size, in: context)
    }

    /// Draws the image in its placement.
    public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
        try place(bitmap.size, in: context).draw(bitmap, options: context.options)
    }
}

extension Double {
    /// The nearest integer, halves rounded up, so that edges moved by an integer round alike.
    var snapped: Int { Int((self + 0.5).rounded(.down)) }
}

extension EffectContext {
    /// A width and a height in pixels, not rounded.
    /// - Throws: `invalidParameter` unless both are positive numbers.
    func pixelSize(_ width: Double, _ height: Double) throws(ImageError) -> (width: Double, height: Double) {
        guard width > 0, height > 0 else {
            throw ImageError(.invalidParameter, "invalid size \(width)x\(height): width and height must be above 0")
        }
        return (try pixels(width, "a width"), try pixels(height, "a height"))
    }

    /// A size rounded to whole pixels, at least one each way.
    /// - Throws: `limitExceeded` for more pixels than allowed.
    func snapped(_ width: Double, _ height: Double) throws(ImageError) -> PixelSize {
        try validated(unlimited(width, height))
    }

    /// As `snapped`, for a size that is never allocated as a whole and so may exceed the limit of pixels.
    func unlimited(_ width: Double, _ height: Double) throws(ImageError) -> PixelSize {
        // A size computed from proportions may exceed the limit for given lengths.
        guard width < Double(1 << 30), height < Double(1 << 30) else {
            throw ImageError(
                .limitExceeded, "invalid size \(width)x\(height): the limit for a side is \(1 << 30) pixels")
        }
        return PixelSize(width: max(1, width.snapped), height: max(1, height.snapped))
    }
}
