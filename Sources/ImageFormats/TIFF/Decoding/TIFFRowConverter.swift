#if TIFF
internal import Raster

/// Converts decompressed samples to pixels.
struct TIFFRowConverter {
    /// The place of a row's samples: from `start` in `bytes`; in planar images the planes are `planeByteCount` apart.
    struct Row {
        var start: Int
        var byteCount: Int
        var planeByteCount: Int
    }

    private let layout: TIFFPixelLayout
    private let samples: TIFFSampleReader
    private let format: PixelFormat
    private let palette: [RGBA8]
    private let inkConverter: CMYKConverter?
    /// CMYK pixels of a row, and the RGB pixels that they convert to.
    private var inks: [UInt8] = []
    private var painted: [RGBA8] = []

    // One row of each colour sample, and of alpha.
    private var first: [UInt16]
    private var second: [UInt16]
    private var third: [UInt16]
    private var fourth: [UInt16]
    private var alpha: [UInt16]

    /// Returns the working memory in bytes for a row of `width` pixels.
    static func byteCount(width: Int) -> Int { 18 * width }

    /// Creates a converter for up to `width` pixels at a time.
    /// - Parameters:
    ///   - palette: The ColorMap: reds, greens, blues; empty for other models.
    ///   - inkProfile: The ICC profile of CMYK samples, if any.
    init(_ layout: TIFFPixelLayout, to format: PixelFormat, width: Int, palette: [UInt16], inkProfile: [UInt8]?) {
        self.layout = layout
        self.format = format
        samples = TIFFSampleReader(format: layout.format, bits: layout.bits)
        self.palette = Self.colors(palette)
        inkConverter = layout.model == .cmyk ? CMYKConverter(profile: inkProfile, isInverted: false) : nil
        first = [UInt16](repeating: 0, count: width)
        second = layout.colorCount > 1 ? first : []
        third = second
        fourth = layout.colorCount > 3 ? first : []
        alpha = layout.alphaIndex == nil ? [] : first
    }

    /// Takes the upper 8 of a palette's 16 bits; if all values are below 256, the writer used only the lower 8.
    private static func colors(_ palette: [UInt16]) -> [RGBA8] {
        let count = palette.count / 3
        let shift: UInt16 = palette.allSatisfy { $0 < 256 } ? 0 : 8
        return (0..<count).map { index in
            RGBA8(
                UInt8(truncatingIfNeeded: palette[index] >> shift),
                UInt8(truncatingIfNeeded: palette[count + index] >> shift),
                UInt8(truncatingIfNeeded: palette[2 * count + index] >> shift))
        }
    }

    /// Converts `count` pixels, from `start` in `source`, to row `y` of `rows` from `column`.
    mutating func convert(
        _ bytes: RawSpan, _ source: Row, from start: Int, count: Int, into rows: inout MutablePixelRows, _ y: Int,
        column: Int
    ) {
        if layout.format == .unsigned, [1, 8, 16].contains(layout.bits), !layout.isPlanar, !layout.isAssociated {
            let row = bytes.extracting(source.start..<(source.start + source.byteCount))
            if convertPlainly(row, from: start, count: count, into: &rows, y, column: column) { return }
        }
        if layout.model == .palette {
            read(0, bytes, source, from: start, count: count, into: &first, isIndex: true)
        } else {
            read(0, bytes, source, from: start, count: count, into: &first)
            if layout.colorCount > 1 {
                read(1, bytes, source, from: start, count: count, into: &second)
                read(2, bytes, source, from: start, count: count, into: &third)
            }
            if layout.colorCount > 3 { read(3, bytes, source, from: start, count: count, into: &fourth) }
        }
        if let index = layout.alphaIndex { read(index, bytes, source, from: start, count: count, into: &alpha) }
        compose(count, into: &rows, y, column: column)
    }

    private func read(
        _ sample: Int, _ bytes: RawSpan, _ source: Row, from start: Int, count: Int, into target: inout [UInt16],
        isIndex: Bool = false
    ) {
        let offset = source.start + (layout.isPlanar ? sample * source.planeByteCount : 0)
        let row = bytes.extracting(offset..<(offset + source.byteCount))
        let step = layout.isPlanar ? 1 : layout.sampleCount
        let position = start * step + (layout.isPlanar ? 0 : sample)
        var span = target.mutableSpan
        if isIndex {
            samples.readIndices(row, first: position, step: step, count: count, into: &span)
        } else {
            samples.read(row, first: position, step: step, count: count, into: &span)
        }
    }

    // MARK: One, eight and sixteen bits as they are

    /// Copies samples that have the rows' own format; false for others.
    private func convertPlainly(
        _ row: RawSpan, from start: Int, count: Int, into rows: inout MutablePixelRows, _ y: Int, column: Int
    ) -> Bool {
        let step = layout.sampleCount
        switch (layout.model, layout.alphaIndex, layout.bits, format) {
        case (.gray(let isInverted), nil, 1, .gray8) where step == 1:
            var target = rows.row(y, as: Gray8.self)
            let white: UInt8 = isInverted ? 0 : 255
            for x in 0..<count {
                let byte = row.unsafeLoad(fromByteOffset: (start + x) >> 3, as: UInt8.self)
                let bit = byte >> UInt8(truncatingIfNeeded: 7 - (start + x) & 7) & 1
                target[column + x] = Gray8(bit == 1 ? white : 255 - white)
            }
        case (.gray(isInverted: false), nil, 8, .gray8):
            var target = rows.row(y, as: Gray8.self)
            // The span checks bounds; every byte is a valid value. The same holds below.
            for x in 0..<count {
                target[column + x] = Gray8(row.unsafeLoad(fromByteOffset: (start + x) * step, as: UInt8.self))
            }
        case (.gray(isInverted: false), nil, 16, .gray16):
            var target = rows.row(y, as: Gray16.self)
            for x in 0..<count {
                target[column + x] = Gray16(
                    row.unsafeLoadUnaligned(fromByteOffset: (start + x) * step * 2, as: UInt16.self))
            }
        case (.rgb, nil, 8, .rgba8) where step == 3:
            var target = rows.row(y, as: RGBA8.self)
            let source = row.extracting((3 * start)..<(3 * (start + count)))
            Self.expandRGB(source, to: &target, at: column, count: count)
        case (.rgb, nil, 8, .rgba8):
            var target = rows.row(y, as: RGBA8.self)
            for x in 0..<count {
                let place = (start + x) * step
                target[column + x] = RGBA8(
                    row.unsafeLoad(fromByteOffset: place, as: UInt8.self),
                    row.unsafeLoad(fromByteOffset: place + 1, as: UInt8.self),
                    row.unsafeLoad(fromByteOffset: place + 2, as: UInt8.self))
            }
        case (.rgb, 3?, 8, .rgba8):
            var target = rows.row(y, as: RGBA8.self)
            for x in 0..<count {
                let pixel = row.unsafeLoadUnaligned(fromByteOffset: (start + x) * step, as: SIMD4<UInt8>.self)
                target[column + x] = RGBA8(pixel.x, pixel.y, pixel.z, pixel.w)
            }
        case (.rgb, nil, 16, .rgba16):
            var target = rows.row(y, as: RGBA16.self)
            for x in 0..<count {
                let place = (start + x) * step * 2
                target[column + x] = RGBA16(
                    row.unsafeLoadUnaligned(fromByteOffset: place, as: UInt16.self),
                    row.unsafeLoadUnaligned(fromByteOffset: place + 2, as: UInt16.self),
                    row.unsafeLoadUnaligned(fromByteOffset: place + 4, as: UInt16.self))
            }
        case (.rgb, 3?, 16, .rgba16):
            var target = rows.row(y, as: RGBA16.self)
            for x in 0..<count {
                let pixel = row.unsafeLoadUnaligned(fromByteOffset: (start + x) * step * 2, as: SIMD4<UInt16>.self)
                target[column + x] = RGBA16(pixel.x, pixel.y, pixel.z, pixel.w)
            }
        default: return false
        }
        return true
    }

    /// Fills pixels from `column` on with three bytes each, two pixels at a time.
    private static func expandRGB(_ source: RawSpan, to row: inout MutableSpan<RGBA8>, at column: Int, count: Int) {
        precondition(column >= 0 && count <= row.count - column && source.byteCount == 3 * count)
        // Each word has two pixels and two bytes of the next; the last ends within the source: 6 pair + 8 ≤ 3 count.
        let pairCount = max(0, (3 * count - 2) / 6)
        row.withUnsafeMutableBytes { target in
            source.withUnsafeBytes { source in
                // `target` has eight bytes for each pair from `column` on, since 2 pairCount ≤ count.
                for pair in 0..<pairCount {
                    let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 6 &* pair, as: UInt64.self))
                    let pixels = word & 0xFF_FFFF | (word &>> 24 & 0xFF_FFFF) &<< 32 | 0xFF00_0000_FF00_0000
                    target.storeBytes(of: pixels.littleEndian, toByteOffset: 4 &* column &+ 8 &* pair, as: UInt64.self)
                }
            }
        }
        for x in (2 * pairCount)..<count {
            // The span checks bounds, and every byte is a valid value.
            row[column + x] = RGBA8(
                source.unsafeLoad(fromByteOffset: 3 * x, as: UInt8.self),
                source.unsafeLoad(fromByteOffset: 3 * x + 1, as: UInt8.self),
                source.unsafeLoad(fromByteOffset: 3 * x + 2, as: UInt8.self))
        }
    }

    // MARK: Everything else

    private mutating func compose(_ count: Int, into rows: inout MutablePixelRows, _ y: Int, column: Int) {
        switch layout.model {
        case .gray(let isInverted):
            if isInverted { for x in 0..<count { first[x] = 65535 - first[x] } }
            if layout.isAssociated { Self.divide(&first, by: alpha, count) }
            composeGray(count, into: &rows, y, column: column)
        case .palette:
            let (first, alpha, palette) = (first, alpha, palette)
            var target = rows.row(y, as: RGBA8.self)
            for x in 0..<count {
                let index = Int(first[x])
                // An index beyond the palette is black.
                var pixel = index < palette.count ? palette[index] : RGBA8(0, 0, 0)
                if !alpha.isEmpty { pixel.alpha = alpha[x].narrowed }
                target[column + x] = pixel
            }
        case .cmyk:
            composeInks(count, into: &rows, y, column: column)
        case .lab(let isOffset):
            LabConverter.convert(&first, &second, &third, count: count, bits: layout.bits, isOffset: isOffset)
            composeColors(count, into: &rows, y, column: column)
        case .rgb, .converted:
            if layout.isAssociated {
                Self.divide(&first, by: alpha, count)
                Self.divide(&second, by: alpha, count)
                Self.divide(&third, by: alpha, count)
            }
            composeColors(count, into: &rows, y, column: column)
        }
    }

    private func composeGray(_ count: Int, into rows: inout MutablePixelRows, _ y: Int, column: Int) {
        let (first, alpha) = (first.span, alpha.span)
        switch format {
        case .gray8:
            var target = rows.row(y, as: Gray8.self)
            for x in 0..<count { target[column + x] = Gray8(first[x].narrowed) }
        case .gray16:
            var target = rows.row(y, as: Gray16.self)
            for x in 0..<count { target[column + x] = Gray16(first[x]) }
        case .rgba8:
            var target = rows.row(y, as: RGBA8.self)
            for x in 0..<count {
                let value = first[x].narrowed
                target[column + x] = RGBA8(value, value, value, alpha[x].narrowed)
            }
        case .rgba16:
            var target = rows.row(y, as: RGBA16.self)
            for x in 0..<count { target[column + x] = RGBA16(first[x], first[x], first[x], alpha[x]) }
        }
    }

    private func composeColors(_ count: Int, into rows: inout MutablePixelRows, _ y: Int, column: Int) {
        let hasAlpha = !alpha.isEmpty
        let (first, second, third, alpha) = (first.span, second.span, third.span, alpha.span)
        if format == .rgba16 {
            var target = rows.row(y, as: RGBA16.self)
            for x in 0..<count {
                target[column + x] = RGBA16(first[x], second[x], third[x], hasAlpha ? alpha[x] : 65535)
            }
        } else {
            var target = rows.row(y, as: RGBA8.self)
            for x in 0..<count {
                target[column + x] = RGBA8(
                    first[x].narrowed, second[x].narrowed, third[x].narrowed,
                    hasAlpha ? alpha[x].narrowed : 255)
            }
        }
    }

    private mutating func composeInks(_ count: Int, into rows: inout MutablePixelRows, _ y: Int, column: Int) {
        if layout.isAssociated {
            Self.divide(&first, by: alpha, count)
            Self.divide(&second, by: alpha, count)
            Self.divide(&third, by: alpha, count)
            Self.divide(&fourth, by: alpha, count)
        }
        if painted.count != count {
            inks = [UInt8](repeating: 0, count: 4 * count)
            painted = [RGBA8](repeating: RGBA8(0, 0, 0), count: count)
        }
        for x in 0..<count {
            inks[4 * x] = first[x].narrowed
            inks[4 * x + 1] = second[x].narrowed
            inks[4 * x + 2] = third[x].narrowed
            inks[4 * x + 3] = fourth[x].narrowed
        }
        Self.paint(inks, by: inkConverter!, into: &painted)
        let hasAlpha = !alpha.isEmpty
        var target = rows.row(y, as: RGBA8.self)
        for x in 0..<count {
            var pixel = painted[x]
            if hasAlpha { pixel.alpha = alpha[x].narrowed }
            target[column + x] = pixel
        }
    }

    private static func paint(_ inks: [UInt8], by converter: CMYKConverter, into pixels: inout [RGBA8]) {
        var colors = pixels.mutableSpan
        converter.convert(inks.span.bytes, into: &colors)
    }

    /// Divides premultiplied colours by alpha.
    private static func divide(_ colors: inout [UInt16], by alpha: [UInt16], _ count: Int) {
        for x in 0..<count where alpha[x] != 65535 {
            let divisor = UInt32(alpha[x])
            // At most 65535 × 65535 + 32767, which fits.
            colors[x] =
                divisor == 0 ? 0 : UInt16(min(65535, (UInt32(colors[x]) * 65535 + divisor / 2) / divisor))
        }
    }
}
#endif
