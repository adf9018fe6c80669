internal import Raster

/// Properties of a bitmap's pixels that allow it to be stored losslessly in fewer bits.
struct PNGColorSurvey {
    /// Whether both bytes of every 16-bit value are equal, so that 8 bits are enough.
    private(set) var fitsEightBits = true
    /// Whether every pixel is opaque.
    private(set) var isOpaque = true
    /// Whether red, green and blue are equal everywhere.
    private(set) var isGray = true
    /// The fewest bits for the values of a grey bitmap: 1, 2, 4, 8 or 16.
    private(set) var grayBits = 1
    /// The colours in order of appearance; nil if there are more than 256 or if they need 16 bits.
    private(set) var colors: [RGBA8]?

    init(_ bitmap: Bitmap) {
        if bitmap.format.bitsPerChannel == 16 {
            fitsEightBits = Self.isEachWordDoubled(bitmap)
            // With 16 bits per channel, only channels can be saved.
            guard fitsEightBits else {
                surveyDeep(bitmap)
                return
            }
        }
        surveyColors(bitmap)
    }

    private static func isEachWordDoubled(_ bitmap: Bitmap) -> Bool {
        for y in 0..<bitmap.height {
            let row = bitmap.rows.bytes(y)
            var difference: UInt16 = 0
            for index in 0..<(row.byteCount / 2) {
                // Bitmap rows consist of whole words.
                let word = row.unsafeLoad(fromByteOffset: 2 &* index, as: UInt16.self)
                difference |= word ^ word.byteSwapped
            }
            if difference != 0 { return false }
        }
        return true
    }

    private mutating func surveyDeep(_ bitmap: Bitmap) {
        grayBits = 16
        guard bitmap.format == .rgba16 else { return }
        for y in 0..<bitmap.height where isGray || isOpaque {
            let row = bitmap.rows.row(y, as: RGBA16.self)
            var (colored, translucent) = (false, false)
            for x in row.indices {
                let pixel = row[x]
                if pixel.red != pixel.green || pixel.green != pixel.blue { colored = true }
                if pixel.alpha != 65535 { translucent = true }
            }
            if colored { isGray = false }
            if translucent { isOpaque = false }
        }
    }

    private mutating func surveyColors(_ bitmap: Bitmap) {
        var table = ColorTable()
        var fitsTable = true
        var seeksAlpha = bitmap.alpha.hasAlpha
        var last = RGBA8(0, 0, 0, 0)
        var used: UInt8 = 0
        for y in 0..<bitmap.height {
            // A photograph ends the survey within a row or two, unless its alpha must be checked.
            guard fitsTable || isGray || seeksAlpha else { break }
            let rows = bitmap.rows
            for x in 0..<bitmap.width {
                let color = Self.color(rows, x, y)
                guard color != last || (x == 0 && y == 0) else { continue }
                last = color
                if color.alpha != 255 { (isOpaque, seeksAlpha) = (false, false) }
                if color.red != color.green || color.green != color.blue { isGray = false }
                // In 4-bit values both halves are equal, in 2-bit values all quarters, in 1-bit values all bits.
                let gray = color.red
                used |= (gray ^ (gray << 4 | gray >> 4)) != 0 ? 8 : (gray ^ (gray << 2 | gray >> 6)) != 0 ? 4 : 0
                used |= (gray ^ (gray << 1 | gray >> 7)) != 0 ? 2 : 0
                if fitsTable { fitsTable = table.insert(color) }
                guard fitsTable || isGray || seeksAlpha else { break }
            }
        }
        grayBits = used >= 8 ? 8 : used >= 4 ? 4 : used >= 2 ? 2 : 1
        colors = fitsTable ? table.colors : nil
    }

    @inline(__always)
    private static func color(_ rows: borrowing PixelRows, _ x: Int, _ y: Int) -> RGBA8 {
        switch rows.format {
        case .rgba8: return rows.row(y, as: RGBA8.self)[x]
        case .gray8:
            let value = rows.row(y, as: Gray8.self)[x].value
            return RGBA8(value, value, value)
        case .gray16:
            let value = UInt8(truncatingIfNeeded: rows.row(y, as: Gray16.self)[x].value)
            return RGBA8(value, value, value)
        case .rgba16:
            return RGBA8(lowerBytesOf: rows.row(y, as: RGBA16.self)[x])
        }
    }
}

extension RGBA8 {
    /// The lower byte of each channel; exact if both bytes of every channel are equal.
    @inline(__always)
    init(lowerBytesOf pixel: RGBA16) {
        self.init(
            UInt8(truncatingIfNeeded: pixel.red), UInt8(truncatingIfNeeded: pixel.green),
            UInt8(truncatingIfNeeded: pixel.blue), UInt8(truncatingIfNeeded: pixel.alpha))
    }
}

/// Up to 256 colours in index order, those with alpha first.
struct PNGPalette: Equatable {
    private(set) var colors: [RGBA8]

    /// Creates a palette; nil for more than 256 colours.
    init?(_ found: [RGBA8]) {
        guard found.count <= 256 else { return nil }
        colors = found.filter { $0.alpha < 255 } + found.filter { $0.alpha == 255 }
    }

    /// The fewest bits for the indices: 1, 2, 4 or 8.
    var bitDepth: Int {
        switch colors.count {
        case ...2: 1
        case ...4: 2
        case ...16: 4
        default: 8
        }
    }
}
