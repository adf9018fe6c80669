/// The rotation or mirroring that shows a stored image upright: EXIF's eight values, by Image I/O's names.
///
/// The raw value is the one in EXIF's tag 0x0112 (TIFF 6.0, section 8).
public enum Orientation: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Row 0 is the top, column 0 the left side.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Transposed: row 0 is the left side, column 0 the top.
    case leftMirrored = 5
    /// Needs a clockwise turn by 90°: row 0 is the right side, column 0 the top.
    case right = 6
    /// Transposed over the other diagonal: row 0 is the right side, column 0 the bottom.
    case rightMirrored = 7
    /// Needs a counter-clockwise turn by 90°: row 0 is the left side, column 0 the bottom.
    case left = 8

    /// Whether the upright image's width is the stored height.
    public var swapsSides: Bool { rawValue >= 5 }

    /// Whether it includes an odd number of mirrorings.
    public var isMirrored: Bool {
        switch self {
        case .upMirrored, .downMirrored, .leftMirrored, .rightMirrored: true
        case .up, .down, .right, .left: false
        }
    }

    /// The orientation that undoes this one.
    public var inverse: Orientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }

    /// The upright size of an image stored at `size`.
    public func applied(to size: PixelSize) -> PixelSize { swapsSides ? size.transposed : size }

    /// The upright position of the stored pixel (`x`, `y`) in an image stored at `size`.
    public func applied(toX x: Int, y: Int, in size: PixelSize) -> (x: Int, y: Int) {
        let (right, bottom) = (size.width - 1 - x, size.height - 1 - y)
        return switch self {
        case .up: (x, y)
        case .upMirrored: (right, y)
        case .down: (right, bottom)
        case .downMirrored: (x, bottom)
        case .leftMirrored: (y, x)
        case .right: (bottom, x)
        case .rightMirrored: (bottom, right)
        case .left: (y, right)
        }
    }

    /// The upright rectangle of `rect`, in an image stored at `size`.
    public func applied(to rect: PixelRect, in size: PixelSize) -> PixelRect {
        let first = applied(toX: rect.x, y: rect.y, in: size)
        let last = applied(toX: rect.x + rect.width - 1, y: rect.y + rect.height - 1, in: size)
        let upright = applied(to: rect.size)
        return PixelRect(
            x: min(first.x, last.x), y: min(first.y, last.y), width: upright.width, height: upright.height)
    }

    /// The orientation equivalent to this one followed by `next`.
    public func followed(by next: Orientation) -> Orientation {
        // Two marked pixels of a 3 x 2 image tell the eight apart.
        let size = PixelSize(width: 3, height: 2)
        func landing(_ x: Int, _ y: Int) -> [Int] {
            let once = applied(toX: x, y: y, in: size)
            let twice = next.applied(toX: once.x, y: once.y, in: applied(to: size))
            return [twice.x, twice.y]
        }
        let marks = landing(0, 0) + landing(1, 0)
        return Orientation.allCases.first { candidate in
            guard candidate.swapsSides == (swapsSides != next.swapsSides) else { return false }
            let (a, b) = (candidate.applied(toX: 0, y: 0, in: size), candidate.applied(toX: 1, y: 0, in: size))
            return [a.x, a.y, b.x, b.y] == marks
        }!
    }
}
