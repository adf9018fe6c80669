public import Raster

extension Effects {
    /// Cuts off borders of one colour.
    ///
    /// The colour is that of the corner with which most corners agree. An image of one colour stays as it is.
    public struct Trim: CodableEffect {
        /// The effect's name in recipes.
        public static let name = "trim"
        /// The largest difference of a channel from the border's colour, 0 to 1.
        public var tolerance: Double

        /// Cuts off borders whose channels differ from one colour by at most `tolerance`.
        public init(tolerance: Double = 0) { self.tolerance = tolerance }

        /// Decodes the effect; the tolerance defaults to 0.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(tolerance: try values.decode(.tolerance, else: 0))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(tolerance)) }

        /// `size`, the largest that the result may have: it depends on the pixels.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            try context.fraction(tolerance, "a tolerance")
            return size
        }

        /// The image without its borders.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let tolerance = try context.fraction(tolerance, "a tolerance")
            let content =
                bitmap.format == .rgba16
                ? bitmap.content(as: RGBA16.self, tolerance) : bitmap.content(as: RGBA8.self, tolerance)
            guard let content, content != PixelRect(bitmap.size) else { return bitmap }
            return try bitmap.cropped(to: content)
        }
    }
}

extension ImageEffect where Self == Effects.Trim {
    /// Cuts off borders whose channels differ from one colour by at most `tolerance`, 0 to 1.
    public static func trim(tolerance: Double = 0) -> Self { Self(tolerance: tolerance) }
}

extension Bitmap {
    /// The smallest rectangle with all pixels that differ from the borders' colour; nil if there are none.
    fileprivate func content<P: RGBAPixel>(as type: P.Type, _ tolerance: Double) -> PixelRect? {
        let tolerance = UInt32(tolerance * Double(P.largest))
        let corners = [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)].map {
            rows.row($1, as: P.self)[$0].channels
        }
        func agreement(_ color: SIMD4<UInt32>) -> Int { corners.count { $0.isNear(color, tolerance) } }
        // The first of the best, so that the top left corner decides where none has a majority.
        let color = corners.dropFirst().reduce(corners[0]) { agreement($1) > agreement($0) ? $1 : $0 }
        var (left, right, top, bottom) = (width, -1, -1, -1)
        for y in 0..<height {
            let row = rows.row(y, as: P.self)
            guard let first = row.indices.first(where: { !row[$0].channels.isNear(color, tolerance) }) else { continue }
            if top < 0 { top = y }
            bottom = y
            left = min(left, first)
            // The row has such a pixel, so the search ends; columns that are known to count aren't searched again.
            var last = width - 1
            while last > max(right, first), row[last].channels.isNear(color, tolerance) { last -= 1 }
            right = max(right, last)
        }
        return top < 0 ? nil : PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}

extension SIMD4<UInt32> {
    /// Whether no channel differs by more than `tolerance`.
    @inline(__always) fileprivate func isNear(_ other: Self, _ tolerance: UInt32) -> Bool {
        for channel in 0..<4 {
            let (a, b) = (self[channel], other[channel])
            if (a > b ? a - b : b - a) > tolerance { return false }
        }
        return true
    }
}
