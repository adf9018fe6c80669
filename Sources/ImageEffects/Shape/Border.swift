public import Raster

extension Effects {
    /// Draws a line along the inside of the image's edge.
    ///
    /// With a radius the line follows rounded corners, and pixels beyond them become transparent, which has no effect
    /// if the corners were rounded by the same radius before. The image shows through a translucent line. Colours are
    /// mixed as stored values.
    public struct Border: SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "border"
        /// The line's colour.
        public var color: RGBA8
        /// The line's width, rounded to whole pixels, at least one unless it is 0.
        public var width: Double
        /// The radius of the line's outer corners, limited to half the image's shorter side.
        public var radius: Double

        /// A line of `color` and `width` around corners of `radius`.
        public init(color: RGBA8 = RGBA8(0, 0, 0), width: Double = 1, radius: Double = 0) {
            self.color = color
            self.width = width
            self.radius = radius
        }

        /// Decodes the effect; it defaults to a black line of width 1 with square corners.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                color: try values.decode(.color, else: RGBA8(0, 0, 0)), width: try values.decode(.width, else: 1),
                radius: try values.decode(.radius, else: 0))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .color(color), .number(width), .number(radius))
        }

        private func lengths(in context: EffectContext) throws(ImageError) -> (width: Int, radius: Double) {
            let width = try context.nonNegativePixels(width, "a border")
            return (width > 0 ? max(1, width.snapped) : 0, try context.nonNegativePixels(radius, "a corner radius"))
        }

        func check(in context: EffectContext) throws(ImageError) { _ = try lengths(in: context) }

        /// The image with the line.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let (width, radius) = try lengths(in: context)
            return try bitmap.bordered(color, width: width, radius: radius)
        }
    }
}

extension ImageEffect where Self == Effects.Border {
    /// Draws a line along the inside of the image's edge.
    public static func border(color: RGBA8 = RGBA8(0, 0, 0), width: Double = 1, radius: Double = 0) -> Self {
        Self(color: color, width: width, radius: radius)
    }
}

extension Bitmap {
    /// The image within a line of `width` pixels whose outer corners have a radius.
    func bordered(_ color: RGBA8, width: Int, radius: Double) throws(ImageError) -> Bitmap {
        let outer = RoundedRectangle(size, radius: radius)
        guard !outer.isRectangle || width > 0 && color.alpha > 0 else { return self }
        let side = min(size.width, size.height)
        // Nil if the line leaves nothing in the middle.
        let inner: RoundedRectangle? =
            width > side
            ? nil
            : 2 * width < side
                ? RoundedRectangle(
                    PixelSize(width: size.width - 2 * width, height: size.height - 2 * width),
                    radius: max(0, min(radius, Double(side) / 2) - Double(width))) : nil
        var info = info
        if !outer.isRectangle { info.alpha = .premultiplied }
        var result = try MutableBitmap(uninitialized: info)
        try result.fill { (rows, range) throws(ImageError) in
            for y in range {
                let line = LineRow(outer: outer, inner: inner, width: width, y: y)
                switch format {
                case .rgba16:
                    line.draw(
                        color, over: self.rows.row(y, as: RGBA16.self),
                        to: rows.row(y - range.lowerBound, as: RGBA16.self))
                default:
                    line.draw(
                        color, over: self.rows.row(y, as: RGBA8.self),
                        to: rows.row(y - range.lowerBound, as: RGBA8.self))
                }
            }
        }
        return result.freeze()
    }
}

/// The border's coverage of one row.
private struct LineRow {
    /// The coverage by the outer shape.
    let outer: (left: RoundedCorner.Row, right: RoundedCorner.Row)
    /// The coverage by the inner shape, counted from its own edges; nil if the row doesn't touch it.
    let inner: (left: RoundedCorner.Row, right: RoundedCorner.Row)?
    let width: Int

    init(outer: RoundedRectangle, inner: RoundedRectangle?, width: Int, y: Int) {
        self.outer = outer.row(y)
        self.width = width
        if let inner, y >= width, y < width + inner.size.height {
            self.inner = inner.row(y - width)
        } else {
            self.inner = nil
        }
    }

    func draw<P: RGBAPixel>(_ color: RGBA8, over source: Span<P>, to target: consuming MutableSpan<P>) {
        let count = source.count
        // Pixels between the lines on both sides are unchanged.
        let left = inner.map { max(outer.left.count, width + $0.left.count) } ?? count
        let right = inner.map { max(left, count - max(outer.right.count, width + $0.right.count)) } ?? count
        target.withUnsafeMutableBufferPointer { target in
            source.withUnsafeBufferPointer { source in
                // Both have this part of the row.
                (target.baseAddress! + left).update(from: source.baseAddress! + left, count: right - left)
            }
        }
        let alpha = Double(color.alpha) / 255
        let scale = Double(P.largest) / 255
        let ink = SIMD4(
            Double(color.red) * alpha, Double(color.green) * alpha, Double(color.blue) * alpha, Double(color.alpha))
        for x in [0..<left, right..<count].joined() {
            let within = coverage(x, count, outer, inset: 0)
            let line = within - (inner.map { coverage(x, count, $0, inset: width) } ?? 0)
            let kept = within - alpha * line
            let channels = source[x].channels
            var sum = SIMD4<UInt32>()
            for channel in 0..<4 {
                let value = ink[channel] * scale * line + Double(channels[channel]) * kept
                sum[channel] = UInt32(max(0, min(Double(P.largest), value)) + 0.5)
            }
            target[x] = P(channels: sum)
        }
    }

    /// The coverage of pixel `x` of `count` by a shape, 0…1.
    private func coverage(
        _ x: Int, _ count: Int, _ row: (left: RoundedCorner.Row, right: RoundedCorner.Row), inset: Int
    ) -> Double {
        guard x >= inset, x < count - inset else { return 0 }
        let left = x - inset
        let right = count - 1 - inset - x
        return Double(min(row.left.coverage(at: left), row.right.coverage(at: right))) / 65535
    }
}
