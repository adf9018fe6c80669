package import Raster

/// The requested region of an image (IIIF Image API 3.0, 4.1).
package enum IIIFRegion: Hashable, Sendable {
    /// The whole image.
    case full
    /// The largest centred square.
    case square
    /// A rectangle in pixels.
    case pixels(x: Int, y: Int, width: Int, height: Int)
    /// A rectangle in percent of the image's width and height.
    case percent(x: DecimalNumber, y: DecimalNumber, width: DecimalNumber, height: DecimalNumber)

    /// Parses a region.
    /// - Throws: 400 for malformed text and for a region without width or height.
    init(_ text: String) throws(RequestFailure) {
        switch text {
        case "full":
            self = .full
        case "square":
            self = .square
        case _ where text.utf8.starts(with: "pct:".utf8):
            let numbers = Substring(text.utf8.dropFirst(4)).split(separator: ",", omittingEmptySubsequences: false)
                .map { DecimalNumber($0) }
            guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
                let height = numbers[3]
            else { throw .malformed("the region isn't pct:x,y,w,h in decimal numbers") }
            guard width.value > 0, height.value > 0 else { throw Self.empty }
            self = .percent(x: x, y: y, width: width, height: height)
        default:
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { RequestNumber.integer($0) }
            guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
                let height = numbers[3]
            else { throw .malformed("the region is none of full, square, x,y,w,h and pct:x,y,w,h") }
            guard width > 0, height > 0 else { throw Self.empty }
            self = .pixels(x: x, y: y, width: width, height: height)
        }
    }

    private static let empty = RequestFailure.malformed("the region has no width or no height")

    /// The region in pixels of an image of `size`: cropped at the edges, at least 1 × 1.
    /// - Throws: 400 for a region that lies wholly outside.
    package func rect(in size: PixelSize) throws(RequestFailure) -> PixelRect {
        switch self {
        case .full:
            return PixelRect(size)
        case .square:
            let side = min(size.width, size.height)
            return PixelRect(x: (size.width - side) / 2, y: (size.height - side) / 2, width: side, height: side)
        case .pixels(let x, let y, let width, let height):
            guard x < size.width, y < size.height else { throw Self.outside(size) }
            return PixelRect(x: x, y: y, width: min(width, size.width - x), height: min(height, size.height - y))
        case .percent(let x, let y, let width, let height):
            guard x.value < 100, y.value < 100 else { throw Self.outside(size) }
            let (left, columns) = Self.pixels(x.value, width.value, of: size.width)
            let (top, rows) = Self.pixels(y.value, height.value, of: size.height)
            return PixelRect(x: left, y: top, width: columns, height: rows)
        }
    }

    private static func outside(_ size: PixelSize) -> RequestFailure {
        .malformed("the region lies outside of the image, which is \(size)")
    }

    /// Converts percentages of a side to the nearest pixels, within the side and at least one.
    private static func pixels(_ start: Double, _ length: Double, of side: Int) -> (start: Int, length: Int) {
        let first = min(side - 1, Int((start / 100 * Double(side)).rounded()))
        // Cropped before conversion, since a length may exceed the range of Int.
        let wanted = min(Double(side), (length / 100 * Double(side)).rounded())
        return (first, max(1, min(Int(wanted), side - first)))
    }
}
