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

    /// The whole of a picture of `size`.
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// Its width and height.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Whether no pixel has room in it.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// Whether it lies wholly within a picture of `size` and isn't empty.
    public func lies(within size: PixelSize) -> Bool {
        guard !isEmpty, x >= 0, y >= 0, width <= size.width, height <= size.height else { return false }
        return x <= size.width - width && y <= size.height - height
    }
}
