/// A width and a height in whole pixels.
public struct PixelSize: Hashable, Sendable, Codable {
    /// Columns.
    public var width: Int
    /// Rows.
    public var height: Int

    /// A size of `width` × `height` pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Whether it contains no pixel.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The number of pixels; `Int.max` if the product overflows, and 0 for an empty size.
    public var pixelCount: Int {
        guard !isEmpty else { return 0 }
        let (product, overflows) = width.multipliedReportingOverflow(by: height)
        return overflows ? .max : product
    }

    /// The size with width and height exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// The largest size of the same proportions within `bounds`, never larger than this one, at least 1 × 1.
    ///
    /// The other side is rounded to the nearest pixel.
    public func fitted(within bounds: PixelSize) -> PixelSize { fitted(within: bounds, enlarges: false) }

    /// The largest size of the same proportions within `bounds`. A smaller image keeps its size unless `enlarges`, as for a
    /// vector image.
    package func fitted(within bounds: PixelSize, enlarges: Bool) -> PixelSize {
        guard !isEmpty, !bounds.isEmpty, enlarges || width > bounds.width || height > bounds.height else { return self }
        let scale = min(Double(bounds.width) / Double(width), Double(bounds.height) / Double(height))
        // A side that isn't below its bound is the bound: no number is converted that an integer might not hold.
        func side(_ length: Int, _ bound: Int) -> Int {
            let scaled = (Double(length) * scale).rounded()
            return scaled >= Double(bound) ? bound : max(1, Int(scaled))
        }
        return PixelSize(width: side(width, bounds.width), height: side(height, bounds.height))
    }
}

extension PixelSize: LosslessStringConvertible {
    /// The size as text: `800x600`.
    public var description: String { "\(width)x\(height)" }

    /// The size that people write so; nil for other texts.
    public init?(_ description: String) {
        let sides = description.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else { return nil }
        self.init(width: width, height: height)
    }
}

/// A rectangle of whole pixels, its origin at the top left.
public struct PixelRect: Hashable, Sendable, Codable {
    /// The first column.
    public var x: Int
    /// The first row.
    public var y: Int
    /// Columns.
    public var width: Int
    /// Rows.
    public var height: Int

    /// A rectangle of `width` × `height` pixels whose top left pixel is at (`x`, `y`).
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole of an image of `size`.
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// Its width and height.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Whether it contains no pixel.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// Whether it lies wholly within an image of `size` and isn't empty.
    public func lies(within size: PixelSize) -> Bool {
        guard !isEmpty, x >= 0, y >= 0, width <= size.width, height <= size.height else { return false }
        return x <= size.width - width && y <= size.height - height
    }
}

/// A rectangle in pixels whose edges may lie between pixels, its origin at the top left.
///
/// Pixel (0, 0) covers 0…1 both ways, so that its centre is at (0.5, 0.5).
public struct PixelRegion: Hashable, Sendable, Codable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// From the left edge to the right.
    public var width: Double
    /// From the top edge to the bottom.
    public var height: Double

    /// A rectangle of `width` × `height` whose top left corner is at (`x`, `y`).
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole pixels of `rect`.
    public init(_ rect: PixelRect) {
        self.init(x: Double(rect.x), y: Double(rect.y), width: Double(rect.width), height: Double(rect.height))
    }

    /// The whole of an image of `size`.
    public init(_ size: PixelSize) { self.init(PixelRect(size)) }

    /// Whether it isn't empty and lies wholly within an image of `size`.
    public func lies(within size: PixelSize) -> Bool {
        // Comparisons with NaN are false.
        guard x >= 0, y >= 0, width > 0, height > 0 else { return false }
        return x + width <= Double(size.width) && y + height <= Double(size.height)
    }
}
