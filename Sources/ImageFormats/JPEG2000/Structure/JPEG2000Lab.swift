#if JPEG2000
/// How CIE L*a*b* is stored: for each coordinate its range, and the sample that stands for 0 (ISO/IEC 15444-2, M.11.7.4.1).
struct JPEG2000Lab: Sendable {
    /// Range and sample of L*, a* and b*; empty for the standard's defaults.
    private var fields: [(range: Int, zero: Int)] = []

    /// The defaults.
    init() {}

    /// Reads the fields that follow the number of the colour space in a `colr` box; the defaults if there are none.
    ///
    /// The illuminant isn't read: colours are relative to white, as in OpenJPEG's tools.
    init(_ reader: ISOBoxReader) {
        var reader = reader
        for _ in 0..<3 {
            guard let range = reader.number(4), let zero = reader.number(4) else {
                fields = []
                return
            }
            fields.append((range, zero))
        }
    }

    /// The value of a sample of `bits` bits in the 16-bit form that `LabConverter` takes, clipped to it.
    /// - Parameter coordinate: 0 for L*, 1 for a*, 2 for b*.
    func coded(_ sample: Int, of coordinate: Int, bits: Int) -> UInt16 {
        let half = 1 << (bits - 1)
        let defaults = [(range: 100, zero: 0), (range: 170, zero: half), (range: 200, zero: half / 2 + half / 4)]
        let field = fields.isEmpty ? defaults[coordinate] : fields[coordinate]
        let value = Double(field.range) * Double(sample - field.zero) / Double(1 << bits - 1)
        // FF00 is an L* of 100; a* and b* have 256 steps for each unit, and 8000 for 0.
        let coded = coordinate == 0 ? value * 652.8 : value * 256 + 32768
        return UInt16(max(0, min(coordinate == 0 ? 65280 : 65535, coded.rounded())))
    }
}
#endif
