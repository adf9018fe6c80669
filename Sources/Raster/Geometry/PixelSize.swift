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

    /// Whether no pixel has room in it.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// How many pixels there are, `Int.max` where the product overflows and 0 for an empty size.
    public var pixelCount: Int {
        guard !isEmpty else { return 0 }
        let (product, overflows) = width.multipliedReportingOverflow(by: height)
        return overflows ? .max : product
    }

    /// Width and height exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// The largest size of the same proportions within `bounds`, never larger than this one, at least 1 × 1.
    ///
    /// The side that doesn't decide is rounded to the nearest pixel.
    public func fitted(within bounds: PixelSize) -> PixelSize {
        guard !isEmpty, !bounds.isEmpty, width > bounds.width || height > bounds.height else { return self }
        let scale = min(Double(bounds.width) / Double(width), Double(bounds.height) / Double(height))
        return PixelSize(
            width: min(bounds.width, max(1, Int((Double(width) * scale).rounded()))),
            height: min(bounds.height, max(1, Int((Double(height) * scale).rounded()))))
    }
}

extension PixelSize: CustomStringConvertible {
    /// The size as people write it: `800x600`.
    public var description: String { "\(width)x\(height)" }
}
