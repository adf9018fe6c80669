public import Raster

/// Which part of an image is drawn, at which size, and where on which canvas.
///
/// What the drawing doesn't reach is transparent.
public struct Placement: Hashable, Sendable {
    /// The size of the result.
    public var canvas: PixelSize
    /// The part of the image, which lies wholly within it.
    public var source: PixelRegion
    /// Where that part goes: whole pixels of the canvas, empty where nothing is drawn.
    public var destination: PixelRect

    /// `source` drawn at `destination` of a canvas.
    public init(canvas: PixelSize, source: PixelRegion, destination: PixelRect) {
        self.canvas = canvas
        self.source = source
        self.destination = destination
    }

    /// An image of `size` drawn at `rect`, whole pixels that may reach beyond the canvas.
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

    /// Along one side: what is seen of `length` pixels drawn as `drawn` from `start` on, and where.
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

    /// Whether the part is drawn pixel by pixel, nothing scaled.
    var isUnscaled: Bool {
        source.width == Double(destination.width) && source.height == Double(destination.height)
            && source.x == source.x.rounded() && source.y == source.y.rounded()
    }

    /// Whether the drawing fills the canvas.
    var fillsCanvas: Bool { destination == PixelRect(canvas) }

    /// The image so drawn.
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

    /// The image so drawn from its rows, which are scaled; there is something to draw.
    func draw(_ rows: any RowSource, options: EffectOptions) throws(ImageError) -> Bitmap {
        let drawn = try ResamplingRowSource(
            rows, to: destination.size, region: source, filter: options.filter, linearLight: options.linearLight)
        return try lay(drawn.makeBitmap(), PixelRect(destination.size))
    }

    /// `part` of an image where the drawing goes on the canvas.
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

/// An effect that only crops and scales: it says where, and is drawn by that.
protocol PlacedEffect: ImageEffect {
    /// As `placement(of:in:)`, which always has an answer.
    func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement
}

extension PlacedEffect {
    /// Where the image goes.
    public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? {
        try place(size, in: context)
    }

    /// Draws the image where it goes.
    public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
        try place(bitmap.size, in: context).draw(bitmap, options: context.options)
    }
}

extension Double {
    /// The nearest whole number, halves upwards: shifted by a whole number, edges still fall in the same places.
    var snapped: Int { Int((self + 0.5).rounded(.down)) }
}

extension EffectContext {
    /// A width and a height in pixels, not yet rounded.
    /// - Throws: `invalidParameter` unless both are positive numbers.
    func pixelSize(_ width: Double, _ height: Double) throws(ImageError) -> (width: Double, height: Double) {
        guard width > 0, height > 0 else {
            throw ImageError(.invalidParameter, "a size of \(width)x\(height) has no pixels")
        }
        return (try pixels(width, "a width"), try pixels(height, "a height"))
    }

    /// The whole pixels nearest to a size, at least one each way.
    /// - Throws: `limitExceeded` for more pixels than are allowed.
    func snapped(_ width: Double, _ height: Double) throws(ImageError) -> PixelSize {
        try validated(unlimited(width, height))
    }

    /// As `snapped`, for a size that isn't made as a whole: it may have more pixels than are allowed.
    func unlimited(_ width: Double, _ height: Double) throws(ImageError) -> PixelSize {
        // What keeps proportions may be larger than any length that was given.
        guard width < Double(1 << 30), height < Double(1 << 30) else {
            throw ImageError(.limitExceeded, "\(width)x\(height) would be more pixels than allowed for effects")
        }
        return PixelSize(width: max(1, width.snapped), height: max(1, height.snapped))
    }
}
