extension MutablePixelRows {
    /// Fills the rows from row `y` on with `rows`, converted to this format. Alpha is neither applied nor removed.
    ///
    /// 16 → 8 bits rounds, (v × 255 + 32767) / 65535; 8 → 16 bits is v × 257; grey to rgba is opaque; rgba to grey is
    /// Y of Rec. 601, 0.299 R + 0.587 G + 0.114 B of the stored values. Traps unless the width is the same and all fit.
    public mutating func convert(_ rows: borrowing PixelRows, at y: Int = 0) {
        precondition(rows.width == width && y >= 0 && y + rows.count <= count)
        switch (rows.format, format) {
        case (.gray8, .gray8), (.gray16, .gray16), (.rgba8, .rgba8), (.rgba16, .rgba16): copy(rows, at: y)
        default:
            for index in 0..<rows.count {
                switch rows.format {
                case .gray8: convertRow(rows.row(index, as: Gray8.self), to: y + index)
                case .gray16: convertRow(rows.row(index, as: Gray16.self), to: y + index)
                case .rgba8: convertRow(rows.row(index, as: RGBA8.self), to: y + index)
                case .rgba16: convertRow(rows.row(index, as: RGBA16.self), to: y + index)
                }
            }
        }
    }

    private mutating func convertRow<P: ConvertiblePixel>(_ source: Span<P>, to y: Int) {
        switch format {
        case .gray8: Self.fill(row(y, as: Gray8.self), from: source) { $0.gray8 }
        case .gray16: Self.fill(row(y, as: Gray16.self), from: source) { $0.gray16 }
        case .rgba8: Self.fill(row(y, as: RGBA8.self), from: source) { $0.rgba8 }
        case .rgba16: Self.fill(row(y, as: RGBA16.self), from: source) { $0.rgba16 }
        }
    }

    @inline(__always) private static func fill<P: Pixel, Q: Pixel>(
        _ target: consuming MutableSpan<Q>, from source: Span<P>, _ converted: (P) -> Q
    ) {
        for x in 0..<min(source.count, target.count) { target[x] = converted(source[x]) }
    }
}

extension MutablePixelRows {
    /// Multiplies straight colours by their alpha, rounded to the nearest value. Grey is left alone.
    public mutating func premultiply() { apply(.premultiply, background: Self.black) }

    /// Divides premultiplied colours by their alpha, rounded to the nearest value. Grey is left alone.
    ///
    /// Where alpha is 0 the colours become 0; a colour above its alpha, which no premultiplied pixel has, becomes the
    /// largest value.
    public mutating func unpremultiply() { apply(.unpremultiply, background: Self.black) }

    private static var black: RGBA8 { RGBA8(0, 0, 0) }

    package mutating func apply(_ step: AlphaStep, background: RGBA8) {
        guard step != .keep else { return }
        switch format {
        case .gray8, .gray16: return
        case .rgba8:
            for y in 0..<count {
                var row = row(y, as: RGBA8.self)
                switch step {
                case .keep: break
                case .premultiply: ByteKernels.premultiply(&row)
                case .unpremultiply: ByteKernels.unpremultiply(&row)
                case .flattenStraight: ByteKernels.flattenStraight(&row, onto: background)
                case .flattenPremultiplied: ScalarAlpha.flattenPremultiplied(&row, onto: background)
                }
            }
        case .rgba16:
            let background = background.rgba16
            for y in 0..<count {
                var row = row(y, as: RGBA16.self)
                switch step {
                case .keep: break
                case .premultiply: ScalarAlpha.premultiply(&row)
                case .unpremultiply: ScalarAlpha.unpremultiply(&row)
                case .flattenStraight: ScalarAlpha.flattenStraight(&row, onto: background)
                case .flattenPremultiplied: ScalarAlpha.flattenPremultiplied(&row, onto: background)
                }
            }
        }
    }
}

extension Bitmap {
    /// The image in another format or alpha mode; as `RowSource.converted(to:alpha:background:)`.
    ///
    /// Without `alpha`, alpha keeps its mode if the format has any; without `format`, the format stays.
    /// - Throws: `outOfMemory`.
    public func converted(
        to format: PixelFormat? = nil, alpha: AlphaMode? = nil, background: RGBA8 = RGBA8(255, 255, 255)
    ) throws(ImageError) -> Bitmap {
        let (format, alpha) = (format ?? self.format, alpha ?? self.alpha)
        let wanted = BitmapInfo(size: size, format: format, alpha: alpha, profile: profile)
        guard wanted != info else { return self }
        if AlphaStep(from: self.alpha, to: wanted.alpha) == .keep {
            guard format != self.format else { return withMeaning(alpha: wanted.alpha, profile: profile) }
            var result = try MutableBitmap(uninitialized: wanted)
            var target = result.mutableRows
            target.convert(rows)
            return result.freeze()
        }
        return try makeRowSource().converted(to: format, alpha: alpha, background: background).makeBitmap()
    }
}
