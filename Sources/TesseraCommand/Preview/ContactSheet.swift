internal import Tessera

/// Pictures side by side on grey, each with a bar under it that says how much of something there was.
struct ContactSheet {
    private static let cellSide = 200
    private static let margin = 12
    private static let barHeight = 6
    private static let columnCount = 5
    private static let paper = RGBA8(128, 128, 128)

    private var cells: [(picture: Bitmap, share: Double)] = []

    /// Adds a picture, made small, and a bar `share` long.
    mutating func append(_ bitmap: Bitmap, share: Double) throws(ImageError) {
        let box = PixelSize(width: Self.cellSide, height: Self.cellSide)
        let small = try bitmap.resampled(to: bitmap.size.fitted(within: box))
        cells.append((try small.converted(to: .rgba8, alpha: AlphaMode.none, background: Self.paper), share))
    }

    /// The sheet; nil when there is nothing on it.
    func makeBitmap() throws(ImageError) -> Bitmap? {
        guard !cells.isEmpty else { return nil }
        let columns = min(Self.columnCount, cells.count)
        let rowCount = (cells.count + columns - 1) / columns
        let stepX = Self.cellSide + Self.margin
        let stepY = Self.cellSide + Self.barHeight + 2 * Self.margin
        let size = PixelSize(width: columns * stepX + Self.margin, height: rowCount * stepY + Self.margin)
        var sheet = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
        var rows = sheet.mutableRows
        Self.fill(PixelRect(size), of: &rows, with: Self.paper)
        for (index, cell) in cells.enumerated() {
            let x = Self.margin + index % columns * stepX
            let y = Self.margin + index / columns * stepY
            Self.draw(
                cell.picture, atX: x + (Self.cellSide - cell.picture.width) / 2,
                y: y + Self.cellSide - cell.picture.height, onto: &rows)
            let bar = PixelRect(x: x, y: y + Self.cellSide + 4, width: Self.cellSide, height: Self.barHeight)
            Self.fill(bar, of: &rows, with: RGBA8(96, 96, 96))
            var filled = bar
            filled.width = Int(Double(bar.width) * min(1, max(0, cell.share)))
            Self.fill(filled, of: &rows, with: RGBA8(255, 255, 255))
        }
        return sheet.freeze()
    }

    private static func draw(_ picture: Bitmap, atX left: Int, y top: Int, onto rows: inout MutablePixelRows) {
        for y in 0..<picture.height {
            let source = picture.rows.row(y, as: RGBA8.self)
            var target = rows.row(top + y, as: RGBA8.self)
            for x in 0..<picture.width { target[left + x] = source[x] }
        }
    }

    private static func fill(_ rect: PixelRect, of rows: inout MutablePixelRows, with pixel: RGBA8) {
        for y in rect.y..<(rect.y + rect.height) {
            var row = rows.row(y, as: RGBA8.self)
            for x in rect.x..<(rect.x + rect.width) { row[x] = pixel }
        }
    }
}
