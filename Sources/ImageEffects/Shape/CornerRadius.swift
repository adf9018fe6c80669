public import Raster

extension Effects {
    /// Rounds the image's corners by circular arcs, antialiased by exact coverage.
    ///
    /// A radius is limited to half the image's shorter side.
    public struct CornerRadius: SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "cornerRadius"
        /// The radius of the top left corner.
        public var topLeft: Double
        /// The radius of the top right corner.
        public var topRight: Double
        /// The radius of the bottom left corner.
        public var bottomLeft: Double
        /// The radius of the bottom right corner.
        public var bottomRight: Double

        /// Rounds all corners by `radius`.
        public init(_ radius: Double) {
            self.init(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius)
        }

        /// Rounds each corner by its own radius.
        public init(topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0) {
            self.topLeft = topLeft
            self.topRight = topRight
            self.bottomLeft = bottomLeft
            self.bottomRight = bottomRight
        }

        private enum CodingKeys: CodingKey {
            case radius, topLeft, topRight, bottomLeft, bottomRight
        }

        /// Decodes the effect: a corner without a value gets the `radius`, or 0 if there is none.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            let radius = try values.decodeIfPresent(Double.self, forKey: .radius)
            if radius == nil, values.allKeys.isEmpty {
                throw DecodingError.keyNotFound(
                    CodingKeys.radius,
                    DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "there is no radius"))
            }
            let other = radius ?? 0
            self.init(
                topLeft: try values.decode(.topLeft, else: other), topRight: try values.decode(.topRight, else: other),
                bottomLeft: try values.decode(.bottomLeft, else: other),
                bottomRight: try values.decode(.bottomRight, else: other))
        }

        /// Encodes the effect: as one `radius` if all are equal.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            if topLeft == topRight, topLeft == bottomLeft, topLeft == bottomRight {
                try values.encode(topLeft, forKey: .radius)
            } else {
                try values.encode(topLeft, forKey: .topLeft)
                try values.encode(topRight, forKey: .topRight)
                try values.encode(bottomLeft, forKey: .bottomLeft)
                try values.encode(bottomRight, forKey: .bottomRight)
            }
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                Self.name, .number(topLeft), .number(topRight), .number(bottomLeft), .number(bottomRight))
        }

        /// The shape for an image of `size`.
        private func shape(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> RoundedRectangle {
            RoundedRectangle(
                size, topLeft: try context.nonNegativePixels(topLeft, "a corner radius"),
                topRight: try context.nonNegativePixels(topRight, "a corner radius"),
                bottomLeft: try context.nonNegativePixels(bottomLeft, "a corner radius"),
                bottomRight: try context.nonNegativePixels(bottomRight, "a corner radius"))
        }

        func check(in context: EffectContext) throws(ImageError) {
            _ = try shape(PixelSize(width: 1, height: 1), in: context)
        }

        /// The image with rounded corners.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let shape = try shape(bitmap.size, in: context)
            return shape.isRectangle ? bitmap : try bitmap.cut(to: shape)
        }
    }
}

extension ImageEffect where Self == Effects.CornerRadius {
    /// Rounds all corners of the image.
    public static func cornerRadius(_ radius: Double) -> Self { Self(radius) }

    /// Rounds each corner of the image by its own radius.
    public static func cornerRadius(
        topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0
    ) -> Self {
        Self(topLeft: topLeft, topRight: topRight, bottomLeft: bottomLeft, bottomRight: bottomRight)
    }
}

extension Effects {
    /// Cuts out the largest centred disc.
    public struct Circle: CodableEffect {
        /// The effect's name in recipes.
        public static let name = "circle"

        /// Cuts out the largest centred disc.
        public init() {}

        /// The effect's name; it has no parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name) }

        /// A square with the image's shorter side.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let side = min(size.width, size.height)
            return PixelSize(width: side, height: side)
        }

        /// The disc. If it can't be exactly centred, it is half a pixel further left or up.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let square = try resultSize(of: bitmap.size, in: context)
            let disc = RoundedRectangle(square, radius: Double(square.width) / 2)
            return try bitmap.cut(
                to: disc, x: (bitmap.width - square.width) / 2, y: (bitmap.height - square.height) / 2)
        }
    }
}

extension ImageEffect where Self == Effects.Circle {
    /// Cuts out the largest centred disc.
    public static var circle: Self { Self() }
}

extension Bitmap {
    /// The image inside `shape`, whose top left corner is at column `x` and row `y`. It must lie within the image.
    func cut(to shape: RoundedRectangle, x: Int = 0, y: Int = 0) throws(ImageError) -> Bitmap {
        var info = info
        info.size = shape.size
        info.alpha = .premultiplied
        var result = try MutableBitmap(uninitialized: info)
        try result.fill { (rows, range) throws(ImageError) in
            for row in range {
                let (left, right) = shape.row(row)
                switch format {
                case .rgba16:
                    Self.cut(
                        self.rows.row(y + row, as: RGBA16.self), from: x, left, right,
                        to: rows.row(row - range.lowerBound, as: RGBA16.self))
                default:
                    Self.cut(
                        self.rows.row(y + row, as: RGBA8.self), from: x, left, right,
                        to: rows.row(row - range.lowerBound, as: RGBA8.self))
                }
            }
        }
        return result.freeze()
    }

    private static func cut<P: RGBAPixel>(
        _ source: Span<P>, from origin: Int, _ left: RoundedCorner.Row, _ right: RoundedCorner.Row,
        to target: consuming MutableSpan<P>
    ) {
        let width = target.count
        let inside = left.count..<max(left.count, width - right.count)
        // Both spans have the part in between, which is copied as bytes.
        target.withUnsafeMutableBufferPointer { target in
            source.withUnsafeBufferPointer { source in
                (target.baseAddress! + inside.lowerBound)
                    .update(from: source.baseAddress! + origin + inside.lowerBound, count: inside.count)
            }
        }
        let outside = P(channels: SIMD4(repeating: 0))
        for x in 0..<left.first { target[x] = outside }
        for x in left.first..<left.count {
            target[x] = source[origin + x].covered(left.coverage[x - left.first])
        }
        for x in 0..<right.first { target[width - 1 - x] = outside }
        for x in right.first..<right.count {
            target[width - 1 - x] = source[origin + width - 1 - x].covered(right.coverage[x - right.first])
        }
    }
}

extension RGBAPixel {
    /// The pixel times `coverage` / 65535, each channel rounded to nearest.
    func covered(_ coverage: UInt16) -> Self {
        // 65535 × 65535 + 32767 fits in 32 bits.
        let product = channels &* UInt32(coverage) &+ 32767
        return Self(channels: product / 65535)
    }
}
