internal import Raster

extension Orientation {
    /// The orientation in an EXIF block (a TIFF structure), nil where there is none or it makes no sense.
    init?(exif: [UInt8]) {
        guard let offset = Self.offset(inEXIF: exif) else { return nil }
        self.init(rawValue: exif[offset])
    }

    /// Where in an EXIF block the orientation's byte stands: tag 0x0112 of the first directory (EXIF 2.32, 4.6.4).
    static func offset(inEXIF exif: [UInt8]) -> Int? {
        guard exif.count >= 14 else { return nil }
        let isBigEndian: Bool
        switch (exif[0], exif[1]) {
        case (0x49, 0x49): isBigEndian = false
        case (0x4D, 0x4D): isBigEndian = true
        default: return nil
        }
        func number(_ offset: Int, _ byteCount: Int) -> Int? {
            guard offset >= 0, offset <= exif.count - byteCount else { return nil }
            var value = 0
            for index in 0..<byteCount {
                value = value << 8 | Int(exif[offset + (isBigEndian ? index : byteCount - 1 - index)])
            }
            return value
        }
        guard number(2, 2) == 42, let directory = number(4, 4), let count = number(directory, 2) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = number(entry, 2) else { return nil }
            guard tag == 0x0112 else { continue }
            // A SHORT by the book; some writers use LONG.
            let byteCount = number(entry + 2, 2) == 4 ? 4 : 2
            guard let value = number(entry + 8, byteCount), value <= 255 else { return nil }
            return entry + 8 + (isBigEndian ? byteCount - 1 : 0)
        }
        return nil
    }
}
