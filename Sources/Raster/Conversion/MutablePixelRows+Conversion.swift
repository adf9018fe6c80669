extension MutablePixelRows {
    /// Fills the rows from row `y` on with `rows`, converted to this format. Alpha is neither applied nor taken away.
    ///
    /// 16 → 8 bits rounds, (v × 255 + 32767) / 65535; 8 → 16 bits is v × 257; grey to rgba is opaque; rgba to grey is
    /// Y of Rec. 601, 0.299 R + 0.587 G + 0.114 B of the stored values. Traps unless the width is the same and all fit.
    public mutating func convert(_ rows: borrowing PixelRows, at y: Int = 0) {
        precondition(rows.width == width && y >= 0 && y + rows.count <= count)
        switch (rows.format, format) {
        case (.gray8, .gray8), (.gray16, .gray16), (.rgba8, .rgba8), (.rgba16, .rgba16): copy(rows, at: y)
        default: for index in 0..<rows.count { convertRow(rows, index, to: y + index) }
        }
    }

    private mutating func convertRow(_ rows: borrowing PixelRows, _ index: Int, to y: Int) {
        switch (rows.format, format) {
        case (.gray8, .gray16):
            var target = row(y, as: Gray16.self)
            ScalarConversion.convert(rows.row(index, as: Gray8.self), to: &target)
        case (.gray8, .rgba8):
            var target = row(y, as: RGBA8.self)
            ScalarConversion.convert(rows.row(index, as: Gray8.self), to: &target)
        case (.gray8, .rgba16):
            var target = row(y, as: RGBA16.self)
            ScalarConversion.convert(rows.row(index, as: Gray8.self), to: &target)
        case (.gray16, .gray8):
            var target = row(y, as: Gray8.self)
            ScalarConversion.convert(rows.row(index, as: Gray16.self), to: &target)
        case (.gray16, .rgba8):
            var target = row(y, as: RGBA8.self)
            ScalarConversion.convert(rows.row(index, as: Gray16.self), to: &target)
        case (.gray16, .rgba16):
            var target = row(y, as: RGBA16.self)
            ScalarConversion.convert(rows.row(index, as: Gray16.self), to: &target)
        case (.rgba8, .gray8):
            var target = row(y, as: Gray8.self)
            ScalarConversion.convert(rows.row(index, as: RGBA8.self), to: &target)
        case (.rgba8, .gray16):
            var target = row(y, as: Gray16.self)
            ScalarConversion.convert(rows.row(index, as: RGBA8.self), to: &target)
        case (.rgba8, .rgba16):
            var target = row(y, as: RGBA16.self)
            ScalarConversion.convert(rows.row(index, as: RGBA8.self), to: &target)
        case (.rgba16, .gray8):
            var target = row(y, as: Gray8.self)
            ScalarConversion.convert(rows.row(index, as: RGBA16.self), to: &target)
        case (.rgba16, .gray16):
            var target = row(y, as: Gray16.self)
            ScalarConversion.convert(rows.row(index, as: RGBA16.self), to: &target)
        case (.rgba16, .rgba8):
            var target = row(y, as: RGBA8.self)
            ScalarConversion.convert(rows.row(index, as: RGBA16.self), to: &target)
        case (.gray8, .gray8), (.gray16, .gray16), (.rgba8, .rgba8), (.rgba16, .rgba16):
            copy(rows.extracting(index..<(index + 1)), at: y)
        }
    }
}
