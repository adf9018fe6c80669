extension Bitmap {
    /// Whether every pixel is opaque. Formats with alpha are scanned up to the first transparent pixel.
    public var isOpaque: Bool {
        guard alpha.hasAlpha else { return true }
        for y in 0..<height {
            let isRowOpaque =
                switch format {
                case .gray8, .gray16: true
                case .rgba8: Self.isOpaque(rows.row(y, as: RGBA8.self))
                case .rgba16: Self.isOpaque(rows.row(y, as: RGBA16.self))
                }
            guard isRowOpaque else { return false }
        }
        return true
    }

    private static func isOpaque<P: RGBAPixel>(_ row: Span<P>) -> Bool {
        var alpha = P.Channel.max
        for x in row.indices { alpha &= row[x].alpha }
        return alpha == .max
    }
}
