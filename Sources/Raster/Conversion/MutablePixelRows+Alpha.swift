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
            let background = RGBA16(
                UInt16(background.red) * 257, UInt16(background.green) * 257, UInt16(background.blue) * 257)
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
