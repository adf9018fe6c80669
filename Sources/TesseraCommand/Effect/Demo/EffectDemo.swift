internal import ArgumentParser
internal import SamplePictures
internal import ImageEffects
internal import Raster
internal import Tessera

/// A contact sheet of every effect applied to the sample images, each labelled with its option.
enum EffectDemo {
    /// Writes the sheet to `effects.png` in `folder`.
    static func write(to folder: String, overwrites: Bool) throws {
        var samples: [SamplePicture: Image] = [:]
        for sample in [SamplePicture.valley, .fruit, .feather, .flame] {
            samples[sample] = Image(try sample.makeBitmap(size: sample.size.fitted(within: bounds)))
        }
        let read: EffectCall.PictureReader = { (name) throws(ImageError) in
            guard let image = SamplePicture(rawValue: name).flatMap({ samples[$0] }) else {
                throw ImageError(.invalidParameter, "there is no sample image called \(name)")
            }
            // Masks are grey; this one is made from an image's alpha.
            return EffectPicture(name == "feather" ? try image.applying(.maskFromAlpha) : image, reference: name)
        }
        var sheet = EffectSheet()
        for (sample, options) in cards {
            guard let picture = samples[sample] else { continue }
            let effects = try EffectArguments<ContentSize>.parse(options.split(separator: " ").map(String.init))
            let result = try picture.applying(effects.chain(read)).bitmap()
            try sheet.append(result, label: options.isEmpty ? sample.name : options)
        }
        try FileSystem.makeFolder(folder)
        let path = FilePath("effects.png", in: folder).text
        try EncodedOutput.write(sheet.makeBitmap(), toPNG: path, overwrites: overwrites)
        print("The sheet is \(path).")
    }

    /// The largest size of the sample images.
    private static let bounds = PixelSize(width: 216, height: 150)

    private static var cards: [(SamplePicture, String)] {
        let geometry: [(SamplePicture, String)] = [
            (.valley, ""), (.fruit, ""),
            (.valley, "--crop 90,40,100,80"), (.valley, "--crop -20,-20,200,140"),
            (.valley, "--crop -20,-20,200,140,clamped"), (.valley, "--crop -20,-20,200,140,intersected"),
            (.valley, "--fit 140x140"), (.valley, "--fill 140x140"), (.valley, "--cover 140x140"),
            (.valley, "--scale 140x140"), (.fruit, "--smart-crop 110x110"), (.valley, "--smart-crop 110x110,entropy"),
            (.valley, "--flip horizontal"), (.valley, "--flip vertical"), (.valley, "--rotate 7"),
            (.valley, "--rotate -30"), (.valley, "--fit 180x120 --rotate 90"),
        ]
        let modes = ContentMode.allCases.map { mode in
            (SamplePicture.valley, "--size 170x170 --content-mode \(mode.rawValue) --pad")
        }
        let colors: [(SamplePicture, String)] = [
            (.valley, "--grayscale"), (.valley, "--sepia 1"), (.valley, "--saturation 2"),
            (.valley, "--brightness 1.4"), (.valley, "--contrast 1.6"),
            (.valley, "--color-matrix 0,0,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,0,1,0"),
            (.valley, "--sharpen 1.5"), (.valley, "--blur 1.5"), (.valley, "--blur 8"), (.fruit, "--blur 4"),
            (.valley, "--overlay fruit,20,10"), (.valley, "--overlay flame,60,10,90x90,0.7,screen"),
            (.valley, "--mask feather"), (.valley, "--invert-mask feather"), (.fruit, "--mask-from-alpha"),
            (.valley, "--opacity 0.4"),
        ]
        let tints = BlendMode.allCases.map { mode in
            (SamplePicture.fruit, "--tint #4080c0c0,\(mode.rawValue)")
        }
        let light: [(SamplePicture, String)] = [
            (.valley, "--radius 24"), (.valley, "--radius 60,0,60,0"), (.valley, "--circle"),
            (.valley, "--border 5,#ffcc66"), (.valley, "--radius 24 --border 5,#ffcc66"),
            (.valley, "--circle --border 5,#ffcc66"),
            (.valley, "--shadow 0,4,12,#00000080"), (.valley, "--shadow 8,8,0,#00000080"),
            (.fruit, "--shadow 6,6,8,#000000a0"), (.flame, "--shadow 0,0,20,#ff6600,threeSigma"),
            (.valley, "--fit 170x90 --reflect 0.5,4,0.6"), (.fruit, "--fit 140x90 --reflect 1"),
            (.valley, "--reflected 1"), (.fruit, "--flatten #ddccaa"),
            (.valley, "--fit 150x80 --radius 10 --shadow 0,2,5 --reflect 0.5,6,0.4"),
            (.valley, "--fit 140x90 --circle --shadow 0,3,6,#00000080 --reflect 0.5,6,0.4"),
            (.valley, "--rotate -6 --shadow 0,4,10,#00000080"),
        ]
        return geometry + modes + colors + tints + light
    }
}

/// Images in a grid, each on a chequerboard that shows transparency, with a label below.
struct EffectSheet {
    private static let columnCount = 6
    private static let cell = PixelSize(width: 256, height: 196)
    private static let margin = 20
    private static let labelHeight = 50
    private static let lineHeight = 16
    private static let paper = RGBA8(252, 252, 252)
    private static let ink = RGBA8(64, 64, 64)
    private static let squares = (RGBA8(255, 255, 255), RGBA8(234, 234, 234))
    /// Pixels per unit of the font.
    private static let textScale = 0.72

    private var cells: [(picture: Bitmap, label: String)] = []

    /// Adds an image, reduced to the size of a cell, and its label.
    mutating func append(_ picture: Bitmap, label: String) throws(ImageError) {
        let fitted = try picture.resampled(to: picture.size.fitted(within: Self.cell))
        cells.append((try fitted.converted(to: .rgba8, alpha: .premultiplied), label))
    }

    /// Draws the sheet, which is opaque.
    func makeBitmap() throws(ImageError) -> Bitmap {
        let (columns, step) = (min(Self.columnCount, max(1, cells.count)), Self.step)
        let rowCount = (cells.count + columns - 1) / columns
        let size = PixelSize(
            width: columns * step.width + Self.margin, height: rowCount * step.height + Self.margin)
        var sheet = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: .rgba8, alpha: .none))
        var rows = sheet.mutableRows
        rows.fill(PixelRect(size), with: Self.paper)
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

    /// Draws a cell's chequerboard and the image in its centre.
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

    /// Breaks the label at spaces into lines no wider than a cell.
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

    /// Draws a line of text starting at `left`.
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
                    // The darkest stroke wins, so crossing strokes don't add up.
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
