#if JPEG2000
package import Raster

/// Random access to the tiles and resolution levels of a JPEG 2000 file.
///
/// Tiles are cut out as small files, which the registry's codec decodes: in this process, or in another if the
/// registry isolates decoding. This process reads boxes and markers only, in Swift.
package final class JPEG2000Tiles: Sendable {
    private let source: Source
    private let file: JPEG2000File
    private let parts: JPEG2000TileParts
    private let options: DecodingOptions
    private let registry: CodecRegistry

    /// The most bytes of several tiles that are decoded together.
    private static let groupByteCount = 4 << 20

    /// Finds the tiles of the file in `source`.
    /// - Throws: As decoding a JPEG 2000 file.
    package init(_ source: Source, options: DecodingOptions, registry: CodecRegistry) throws(ImageError) {
        self.source = source
        self.options = options
        self.registry = registry
        file = try JPEG2000File(source, options: options)
        parts = try JPEG2000TileParts(file.codestream, source)
    }

    private var grid: JPEG2000Grid { file.codestream.grid }

    /// The number of times that the image can be halved while it is decoded.
    package var levelCount: Int { file.codestream.levelCount }

    /// The size of the first tile, within the image.
    package var tileSize: PixelSize { grid.pixels(of: grid.area(columns: 0..<1, rows: 0..<1)).size }

    /// The distance from a halved pixel's place to the middle of the pixels that it covers, in halved pixels.
    ///
    /// The wavelet transform keeps the samples at even places of the grid, so a halved pixel has the place of the first pixel that
    /// it covers.
    package func displacement(halvings: Int) -> (x: Double, y: Double) {
        let whole = grid.pixels(of: grid.image)
        func displacement(_ range: Range<Int>) -> Double {
            let first = range.sampled(1 << halvings).lowerBound << halvings - range.lowerBound
            return 0.5 - (Double(first) + 0.5) / Double(1 << halvings)
        }
        return (displacement(whole.x), displacement(whole.y))
    }

    /// Decodes a part of the image, halved `halvings` times, at most `levelCount`, to sRGB in stored orientation.
    ///
    /// Where the image doesn't begin at the grid's origin, the halved image can be a pixel smaller than half its size.
    package func window(_ rect: PixelRect, halvings: Int) throws(ImageError) -> Bitmap {
        let whole = grid.pixels(of: grid.image).reduced(halvings)
        guard !whole.x.isEmpty, !whole.y.isEmpty else {
            return try window(PixelRect(file.header.storedSize), halvings: 0).resampled(to: rect.size, filter: .area)
        }
        let window = JPEG2000Grid.Area(
            x: Self.part(rect.x..<rect.x + rect.width, of: whole.x),
            y: Self.part(rect.y..<rect.y + rect.height, of: whole.y))
        var target: MutableBitmap?
        for (columns, row) in groups(touching: window, halvings: halvings) {
            let area = grid.area(columns: columns, rows: row..<row + 1)
            let pixels = grid.pixels(of: area).reduced(halvings)
            let part = JPEG2000Grid.Area(x: pixels.x.clamped(to: window.x), y: pixels.y.clamped(to: window.y))
            guard !part.x.isEmpty, !part.y.isEmpty else { continue }
            let bitmap = try decode(part, columns: columns, row: row, halvings: halvings)
            if part == window { return bitmap }
            if target == nil {
                var info = bitmap.info
                info.size = window.size
                target = try MutableBitmap(info)
            }
            target!.draw(bitmap, x: part.x.lowerBound - window.x.lowerBound, y: part.y.lowerBound - window.y.lowerBound)
        }
        guard let target else { throw ImageError(.corrupt, "the JPEG 2000 image has no tile at \(rect)") }
        return target.freeze()
    }

    private static func part(_ range: Range<Int>, of whole: Range<Int>) -> Range<Int> {
        let first = min(whole.lowerBound + range.lowerBound, whole.upperBound - 1)
        return first..<max(first + 1, min(whole.lowerBound + range.upperBound, whole.upperBound))
    }

    /// Decodes a part of some tiles of a row, in pixels of the halved image.
    private func decode(
        _ part: JPEG2000Grid.Area, columns: Range<Int>, row: Int, halvings: Int
    ) throws(ImageError) -> Bitmap {
        let cut = try cut(columns: columns, row: row, halvings: halvings)
        var bitmap = try decode(part, of: cut, halvings: halvings)
        // The decoder chooses how often to halve by the size. If less often, it needs more packets.
        if bitmap.size != part.size, halvings > 0 {
            bitmap = try decode(part, of: try self.cut(columns: columns, row: row, halvings: 0), halvings: halvings)
        }
        return try bitmap.resampled(to: part.size, filter: .area)
    }

    /// Cuts out some tiles of a row, with the packets that they need when they are halved.
    private func cut(columns: Range<Int>, row: Int, halvings: Int) throws(ImageError) -> JPEG2000Cut {
        let cut = try JPEG2000Cut(
            columns: columns, rows: row..<row + 1, of: file.codestream, parts, source, halvings: halvings,
            limits: options.limits)
        if cut.isTruncated {
            throw ImageError(.truncated, "the JPEG 2000 file ends within a tile", byteOffset: source.length)
        }
        return cut
    }

    /// Decodes a part of the tiles in `cut`; larger than `part` where they can't be halved as often.
    private func decode(
        _ part: JPEG2000Grid.Area, of cut: JPEG2000Cut, halvings: Int
    ) throws(ImageError) -> Bitmap {
        let pixels = grid.pixels(of: cut.area)
        let bytes =
            file.container.isBoxed
            ? JPEG2000Boxes.file(cut.bytes, grid, size: pixels.size, colorBoxes: file.container.colorBoxes) : cut.bytes
        // A pixel of the halved image stands for itself and those behind it, as far as the tiles have them.
        func full(_ range: Range<Int>, _ all: Range<Int>) -> Range<Int> {
            (range.lowerBound << halvings..<range.upperBound << halvings).clamped(to: all)
        }
        let (x, y) = (full(part.x, pixels.x), full(part.y, pixels.y))
        let region = PixelRect(
            x: x.lowerBound - pixels.x.lowerBound, y: y.lowerBound - pixels.y.lowerBound, width: x.count,
            height: y.count)
        // A decoder delivers at least twice the target size, so the target is half the size.
        let target = PixelSize(width: max(1, part.x.count / 2), height: max(1, part.y.count / 2))
        let decoded = try ImageSource.decode(
            bytes, plan: DecodingPlan(region: region, targetSize: halvings > 0 ? target : nil),
            options: DecodingOptions(appliesOrientation: false, limits: options.limits), registry: registry)
        if let error = decoded.error { throw error }
        return decoded.bitmap
    }

    // MARK: Tiles

    /// The tiles that a window of the halved image touches: rows, and columns of few bytes together.
    private func groups(touching window: JPEG2000Grid.Area, halvings: Int) -> [(columns: Range<Int>, row: Int)] {
        let columns = Self.tiles(window.x, count: grid.columnCount) {
            grid.pixels(of: grid.area(columns: $0..<$0 + 1, rows: 0..<1)).reduced(halvings).x
        }
        let rows = Self.tiles(window.y, count: grid.rowCount) {
            grid.pixels(of: grid.area(columns: 0..<1, rows: $0..<$0 + 1)).reduced(halvings).y
        }
        var groups: [(columns: Range<Int>, row: Int)] = []
        for row in rows {
            var first = columns.lowerBound
            var byteCount = 0
            for column in columns {
                let more = parts.byteCount(of: row * grid.columnCount + column)
                if column > first, byteCount + more > Self.groupByteCount {
                    groups.append((first..<column, row))
                    (first, byteCount) = (column, 0)
                }
                byteCount += more
            }
            groups.append((first..<columns.upperBound, row))
        }
        return groups
    }

    /// The tiles that a range of pixels touches, of `count` in this direction whose pixels `place` returns.
    private static func tiles(_ range: Range<Int>, count: Int, place: (Int) -> Range<Int>) -> Range<Int> {
        func index(of pixel: Int) -> Int {
            var (low, high) = (0, count - 1)
            while low < high {
                let middle = (low + high) / 2
                if place(middle).upperBound <= pixel { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return index(of: range.lowerBound)..<index(of: range.upperBound - 1) + 1
    }
}
#endif
