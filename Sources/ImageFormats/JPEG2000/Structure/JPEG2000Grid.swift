#if JPEG2000
internal import Raster

/// The reference grid of a codestream: the image, its tiles, and the components' sampling (ISO/IEC 15444-1,
/// A.5.1 and B).
struct JPEG2000Grid: Sendable {
    /// A component's samples.
    struct Component: Hashable, Sendable {
        var bits: Int
        var isSigned: Bool
        /// Points of the grid for each sample.
        var dx: Int
        var dy: Int
    }

    /// A range of columns and of rows: of the grid, or of a component's samples.
    struct Area: Hashable, Sendable {
        var x: Range<Int>
        var y: Range<Int>

        /// The samples, `dx` and `dy` points apart, within this area of the grid.
        func sampled(_ dx: Int, _ dy: Int) -> Area {
            Area(x: x.sampled(dx), y: y.sampled(dy))
        }

        /// The samples that are left when the image is halved `count` times.
        func reduced(_ count: Int) -> Area { sampled(1 << count, 1 << count) }

        var size: PixelSize { PixelSize(width: x.count, height: y.count) }
    }

    /// The image on the grid.
    let image: Area
    /// The first tile's corner, and the size of tiles.
    let tileOrigin: (x: Int, y: Int)
    let tileSize: PixelSize
    let components: [Component]
    /// Grid points for each pixel: those of the components that are sampled most densely.
    let pixelWidth: Int
    let pixelHeight: Int
    /// The most points of the grid for each sample of any component, in either direction, where they differ; else 0.
    let mostSampling: Int

    /// Reads the contents of the size segment, from the image's size on.
    /// - Throws: `corrupt` or `unsupported`.
    init(_ bytes: [UInt8], byteOffset: Int) throws(ImageError) {
        func number(_ index: Int) -> Int { bytes.bigEndian(at: 4 * index, byteCount: 4) ?? 0 }
        func corrupt(_ text: String) -> ImageError {
            ImageError(.corrupt, "invalid JPEG 2000 size: \(text)", byteOffset: byteOffset)
        }
        guard bytes.count >= 34, let count = bytes.bigEndian(at: 32, byteCount: 2), bytes.count >= 34 + 3 * count else {
            throw corrupt("the segment is too short")
        }
        let (right, bottom, left, top) = (number(0), number(1), number(2), number(3))
        let (tileWidth, tileHeight, tileX, tileY) = (number(4), number(5), number(6), number(7))
        guard left < right, top < bottom else {
            throw corrupt("the image begins at (\(left), \(top)) and ends at (\(right), \(bottom))")
        }
        guard max(right, bottom) <= Int32.max else {
            throw ImageError(
                .unsupported, "the JPEG 2000 image ends at (\(right), \(bottom)); at most \(Int32.max) can be read",
                byteOffset: byteOffset)
        }
        guard tileWidth > 0, tileHeight > 0, tileX <= left, tileY <= top, tileX + tileWidth > left,
            tileY + tileHeight > top
        else {
            throw corrupt("the first tile of \(tileWidth)x\(tileHeight) at (\(tileX), \(tileY)) isn't in the image")
        }
        guard count > 0 else { throw corrupt("there are no components") }
        var components: [Component] = []
        for index in 0..<count {
            let (depth, dx, dy) = (bytes[34 + 3 * index], bytes[35 + 3 * index], bytes[36 + 3 * index])
            guard dx > 0, dy > 0 else { throw corrupt("component \(index) has no sampling") }
            let bits = Int(depth & 0x7F) + 1
            guard bits <= 31 else {
                throw ImageError(
                    bits <= 38 ? .unsupported : .corrupt, "JPEG 2000 components of \(bits) bits can't be read",
                    byteOffset: byteOffset)
            }
            components.append(Component(bits: bits, isSigned: depth & 0x80 != 0, dx: Int(dx), dy: Int(dy)))
        }
        image = Area(x: left..<right, y: top..<bottom)
        tileOrigin = (tileX, tileY)
        tileSize = PixelSize(width: tileWidth, height: tileHeight)
        self.components = components
        pixelWidth = components.reduce(255) { min($0, $1.dx) }
        pixelHeight = components.reduce(255) { min($0, $1.dy) }
        let (width, height) = (pixelWidth, pixelHeight)
        mostSampling = components.reduce(0) { most, component in
            component.dx == width && component.dy == height ? most : max(most, component.dx, component.dy)
        }
        guard columnCount * rowCount <= 65535 else {
            throw corrupt("\(columnCount)x\(rowCount) tiles, of which there can be 65535")
        }
    }

    var columnCount: Int { (image.x.upperBound - tileOrigin.x - 1) / tileSize.width + 1 }
    var rowCount: Int { (image.y.upperBound - tileOrigin.y - 1) / tileSize.height + 1 }

    /// The part of the image that the tiles of these columns and rows cover.
    func area(columns: Range<Int>, rows: Range<Int>) -> Area {
        func part(_ tiles: Range<Int>, _ origin: Int, _ length: Int, _ image: Range<Int>) -> Range<Int> {
            (origin + tiles.lowerBound * length..<origin + tiles.upperBound * length).clamped(to: image)
        }
        return Area(
            x: part(columns, tileOrigin.x, tileSize.width, image.x),
            y: part(rows, tileOrigin.y, tileSize.height, image.y))
    }

    // MARK: Pixels

    /// The pixels within an area of the grid, counted from the grid's origin.
    func pixels(of area: Area) -> Area { area.sampled(pixelWidth, pixelHeight) }

    /// The size of the image in pixels.
    var size: PixelSize { pixels(of: image).size }
}

extension Range<Int> {
    /// The multiples of `step` within the range, divided by it.
    func sampled(_ step: Int) -> Range<Int> {
        func up(_ value: Int) -> Int { (value + step - 1) / step }
        return up(lowerBound)..<up(upperBound)
    }
}
#endif
