internal import Tessera

/// Pictures in a grid, each on a light chequered ground that shows where it is transparent, with a label below.
struct EffectSheet {
    private static let columnCount = 6
    private static let cell = PixelSize(width: 256, height: 196)
    private static let margin = 20
    private static let labelHeight = 50
    private static let lineHeight = 16
    private static let paper = RGBA8(252, 252, 252)
    private static let ink = RGBA8(64, 64, 64)
    private static let squares = (RGBA8(255, 255, 255), RGBA8(234, 234, 234))
    /// Pixels to a unit of the font.
    private static let textScale = 0.72

    private var cells: [(picture: Bitmap, label: String)] = []

    /// Adds a picture, no larger than a cell, and its label.
    mutating func append(_ picture: Bitmap, label: String) throws(ImageError) {
        let fitted =
            picture.width <= Self.cell.width && picture.height <= Self.cell.height
            ? picture : try picture.resampled(to: picture.size.fitted(within: Self.cell))
        cells.append((try fitted.converted(to: .rgba8, alpha: .premultiplied), label))
    }

    /// The sheet, opaque.
    func makeBitmap() throws(ImageError) -> Bitmap {
        let (columns, step) = (min(Self.columnCount, max(1, cells.count)), Self.step)
        let rowCount = (cells.count + columns - 1) / columns
        let size = PixelSize(
            width: columns * step.width + Self.margin, height: rowCount * step.height + Self.margin)
        var sheet = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: .rgba8, alpha: .none))
        var rows = sheet.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in row.indices { row[x] = Self.paper }
        }
        for (index, cell) in cells.enumerated() {
            let x = Self.margin + index % columns * step.width
            let y = Self.margin + index / columns * step.height
            Self.draw(cell.picture, atX: x, y: y, onto: &rows)
            for (number, line) in Self.lines(cell.label).enumerated() {
                Self.write(line, atX: x, y: y + Self.cell.height + 7 + number * Self.lineHeight, onto: &rows)
            }
        }
        return sheet.freeze()
    }

    private static var step: PixelSize {
        PixelSize(width: cell.width + margin, height: cell.height + labelHeight)
    }

    /// Draws a cell's ground and the picture in its middle.
    private static func draw(_ picture: Bitmap, atX left: Int, y top: Int, onto rows: inout MutablePixelRows) {
        let (insetX, insetY) = ((cell.width - picture.width) / 2, (cell.height - picture.height) / 2)
        for y in 0..<cell.height {
            var target = rows.row(top + y, as: RGBA8.self)
            for x in 0..<cell.width {
                target[left + x] = (x / 8 + y / 8).isMultiple(of: 2) ? squares.0 : squares.1
            }
            guard y >= insetY, y < insetY + picture.height else { continue }
            let source = picture.rows.row(y - insetY, as: RGBA8.self)
            for x in 0..<picture.width {
                let (over, under) = (source[x], target[left + insetX + x])
                let rest = 255 - Int(over.alpha)
                func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(min(255, Int(a) + (Int(b) * rest + 127) / 255)) }
                target[left + insetX + x] = RGBA8(
                    mixed(over.red, under.red), mixed(over.green, under.green), mixed(over.blue, under.blue))
            }
        }
    }

    /// The label in lines that are no wider than a cell, broken at spaces.
    private static func lines(_ label: String) -> [String] {
        var lines: [String] = []
        for word in label.split(separator: " ") {
            let longer = lines.last.map { "\($0) \(word)" } ?? String(word)
            if lines.isEmpty || StrokeFont.lines(longer).width * textScale > Double(cell.width) {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = longer
            }
        }
        return lines
    }

    /// Writes a line whose left end is at `left`.
    private static func write(_ text: String, atX left: Int, y top: Int, onto rows: inout MutablePixelRows) {
        let segments = StrokeFont.lines(text).segments.map { segment in
            (
                (x: segment.0.x * textScale, y: segment.0.y * textScale + 2),
                (x: segment.1.x * textScale, y: segment.1.y * textScale + 2)
            )
        }
        for y in 0..<(Int(StrokeFont.height * textScale) + 4) {
            var row = rows.row(top + y, as: RGBA8.self)
            for (from, to) in segments {
                guard min(from.y, to.y) < Double(y) + 2, max(from.y, to.y) > Double(y) - 1 else { continue }
                for x in max(0, Int(min(from.x, to.x)) - 2)...(Int(max(from.x, to.x)) + 2) where left + x < row.count {
                    let distance = distance(from: (Double(x) + 0.5, Double(y) + 0.5), to: from, to)
                    let coverage = min(1, max(0, 1.1 - distance))
                    // Lines that cross or join must not add up to more than one of them.
                    let shade = UInt8(Double(paper.red) + (Double(ink.red) - Double(paper.red)) * coverage)
                    if shade < row[left + x].red { row[left + x] = RGBA8(shade, shade, shade) }
                }
            }
        }
    }

    private static func distance(
        from point: StrokeFont.Point, to a: StrokeFont.Point, _ b: StrokeFont.Point
    ) -> Double {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let length = dx * dx + dy * dy
        let along = length == 0 ? 0 : min(1, max(0, ((point.x - a.x) * dx + (point.y - a.y) * dy) / length))
        let (x, y) = (point.x - a.x - along * dx, point.y - a.y - along * dy)
        return (x * x + y * y).squareRoot()
    }
}
