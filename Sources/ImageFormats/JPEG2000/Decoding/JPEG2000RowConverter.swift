#if JPEG2000
internal import Raster

/// Converts decoded samples to rows of pixels.
struct JPEG2000RowConverter {
    private let channels: JPEG2000Channels
    private let info: BitmapInfo
    /// Whether rows are the samples of three components as they are.
    private let isPlain: Bool
    /// For each colour and then alpha, a table from samples to values, and the shift before it.
    private var tables: [(channel: JPEG2000Channels.Channel, shift: Int, table: [UInt16])] = []
    private var values: [[UInt16]] = []
    private let inkConverter: CMYKConverter?

    /// The most samples' bits that a table has an element for; more are cut off.
    private static let mostTableBits = 16

    /// Returns the working memory in bytes for a row of `width` pixels.
    static func byteCount(width: Int) -> Int { 20 * width }

    /// Creates a converter to rows with the format of `info`.
    init(_ channels: JPEG2000Channels, _ grid: JPEG2000Grid, to info: BitmapInfo, inkProfile: [UInt8]?) {
        self.channels = channels
        self.info = info
        let white = info.format.bitsPerChannel == 16 ? 65535 : 255
        let components = channels.colors.map { grid.components[$0.component] }
        isPlain =
            channels.space == .rgb && channels.alpha == nil && info.format == .rgba8 && !channels.hasPalette
            && channels.colors.map(\.component) == [0, 1, 2]
            && components.allSatisfy {
                $0.bits == 8 && !$0.isSigned && $0.dx == grid.pixelWidth && $0.dy == grid.pixelHeight
            }
        inkConverter = channels.space == .cmyk ? CMYKConverter(profile: inkProfile, isInverted: false) : nil
        guard !isPlain else { return }
        for (index, channel) in (channels.colors + (channels.alpha.map { [$0] } ?? [])).enumerated() {
            let bits = grid.components[channel.component].bits
            let shift = max(0, bits - Self.mostTableBits)
            let count = 1 << (bits - shift)
            // Scaled and rounded; no product exceeds 2⁴⁷.
            let most = 1 << min(channel.values == nil ? bits - shift : channel.bits, 31) - 1
            let isLab = channels.space == .lab && index < channels.colors.count
            let (rest, labBits) = (channel.values == nil ? shift : 0, channel.values == nil ? bits : channel.bits)
            func scaled(_ value: Int) -> UInt16 {
                guard !isLab else { return channels.lab.coded(value << rest, of: index, bits: labBits) }
                return UInt16((value * white + most / 2) / most)
            }
            let table: [UInt16]
            if let values = channel.values {
                // Signed indices don't occur; those beyond the palette select its last colour.
                table = (0..<count).map { scaled(values[min($0 << shift, values.count - 1)]) }
            } else {
                table = (0..<count).map(scaled)
            }
            tables.append((channel, shift, table))
            values.append([UInt16](repeating: 0, count: info.size.width))
        }
    }

    /// Converts the pixels in `columns` of row `y`, counted as the grid's pixels, to row `row` of `rows` from column
    /// `target` on.
    mutating func convert(
        _ y: Int, columns: Range<Int>, from samples: JPEG2000TileDecoder, into rows: inout MutablePixelRows, row: Int,
        at target: Int
    ) throws(ImageError) {
        guard !isPlain else {
            var bytes = rows.bytes(row)
            return try samples.readRGBA8(y, columns: columns, into: &bytes, at: 4 * target)
        }
        for index in tables.indices {
            let entry = tables[index]
            try samples.read(
                entry.channel.component, y, columns: columns, shift: entry.shift, table: entry.table,
                into: &values[index])
        }
        let count = columns.count
        switch channels.space {
        case .gray, .rgb, .cmyk: break
        case .ycc: convertYCC(count, Self.ycc)
        case .wideYCC: convertYCC(count, Self.wideYCC)
        case .lab: convertLab(count)
        }
        if channels.isPremultiplied { divide(count) }
        compose(count, into: &rows, row, column: target)
    }

    // MARK: Colour

    /// Factors of Cb and Cr, times 2¹⁶, for red, green and blue.
    private typealias Matrix = (red: (Int, Int), green: (Int, Int), blue: (Int, Int))
    /// ITU-R BT.601.
    private static let ycc: Matrix = ((0, 91881), (-22554, -46802), (116130, 0))
    /// As OpenJPEG's tools convert e-sYCC; factors of Y differ from 1 by less than 0.04 %.
    private static let wideYCC: Matrix = ((-2, 91881), (-22553, -46800), (116132, -1))

    private mutating func convertYCC(_ count: Int, _ matrix: Matrix) {
        let white = info.format.bitsPerChannel == 16 ? 65535 : 255
        // The value of half a component's range, which stands for no colour.
        let zero = (0..<3).map { index in Int(tables[index].table[tables[index].table.count / 2]) }
        var (luma, blue, red): ([UInt16], [UInt16], [UInt16]) = ([], [], [])
        swap(&luma, &values[0])
        swap(&blue, &values[1])
        swap(&red, &values[2])
        for x in 0..<count {
            let y = Int(luma[x]) << 16 + 1 << 15
            let (b, r) = (Int(blue[x]) - zero[1], Int(red[x]) - zero[2])
            // No sum exceeds 2³⁴.
            func channel(_ factors: (Int, Int)) -> UInt16 {
                UInt16(max(0, min(white, (y + factors.0 * b + factors.1 * r) >> 16)))
            }
            luma[x] = channel(matrix.red)
            blue[x] = channel(matrix.green)
            red[x] = channel(matrix.blue)
        }
        values.replaceSubrange(0..<3, with: [luma, blue, red])
    }

    private mutating func convertLab(_ count: Int) {
        var (l, a, b): ([UInt16], [UInt16], [UInt16]) = ([], [], [])
        swap(&l, &values[0])
        swap(&a, &values[1])
        swap(&b, &values[2])
        LabConverter.convert(&l, &a, &b, count: count, bits: 16, isOffset: true)
        values.replaceSubrange(0..<3, with: [l, a, b])
        guard info.format.bitsPerChannel == 8 else { return }
        for index in 0..<3 {
            for x in 0..<count { values[index][x] = UInt16(values[index][x].narrowed) }
        }
    }

    /// Divides colours by alpha.
    private mutating func divide(_ count: Int) {
        let white = info.format.bitsPerChannel == 16 ? 65535 : 255
        let alpha = values[values.count - 1]
        for index in 0..<channels.colors.count {
            for x in 0..<count where alpha[x] > 0 {
                let opacity = Int(alpha[x])
                values[index][x] = UInt16(min(white, (Int(values[index][x]) * white + opacity / 2) / opacity))
            }
        }
    }

    // MARK: Pixels

    private func compose(_ count: Int, into rows: inout MutablePixelRows, _ y: Int, column: Int) {
        // Grey with alpha has three equal colours.
        let isGray = channels.space == .gray
        let hasAlpha = channels.alpha != nil
        let (reds, greens, blues) = (values[0], values[isGray ? 0 : 1], values[isGray ? 0 : 2])
        let alphas = values[values.count - 1]
        let (first, second, third, alpha) = (reds.span, greens.span, blues.span, alphas.span)
        switch info.format {
        case .gray8:
            var row = rows.row(y, as: Gray8.self)
            for x in 0..<count { row[column + x] = Gray8(UInt8(truncatingIfNeeded: first[x])) }
        case .gray16:
            var row = rows.row(y, as: Gray16.self)
            for x in 0..<count { row[column + x] = Gray16(first[x]) }
        case .rgba8:
            let inks = inkConverter.map { paint(count, by: $0) }
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<count {
                row[column + x] =
                    inks?[x]
                    ?? RGBA8(
                        UInt8(truncatingIfNeeded: first[x]), UInt8(truncatingIfNeeded: second[x]),
                        UInt8(truncatingIfNeeded: third[x]))
                if hasAlpha { row[column + x].alpha = UInt8(truncatingIfNeeded: alpha[x]) }
            }
        case .rgba16:
            var row = rows.row(y, as: RGBA16.self)
            for x in 0..<count {
                row[column + x] = RGBA16(first[x], second[x], third[x], hasAlpha ? alpha[x] : 65535)
            }
        }
    }

    /// Converts a row of CMYK.
    private func paint(_ count: Int, by converter: CMYKConverter) -> [RGBA8] {
        var inks = [UInt8](repeating: 0, count: 4 * count)
        for index in 0..<4 {
            for x in 0..<count { inks[4 * x + index] = UInt8(truncatingIfNeeded: values[index][x]) }
        }
        var painted = [RGBA8](repeating: RGBA8(0, 0, 0), count: count)
        var target = painted.mutableSpan
        converter.convert(inks.span.bytes, into: &target)
        return painted
    }
}
#endif
