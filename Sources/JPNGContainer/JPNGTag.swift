/// The segment by which programs that look only at a file's beginning recognise a JPNG.
///
/// A JPNG's footer is at its end, so to content sniffing the file is a JPEG. The tag is an APP10 segment whose payload begins
/// with "JPNG" and a zero byte. It follows JFIF's segment directly, or the start of image if there is none. Decoders of JPEG
/// skip it. A file without a tag is a JPNG too.
///
/// | bytes | |
/// |---|---|
/// | `FF EA` | APP10 |
/// | `00 07` | the segment's length, big-endian |
/// | `4A 50 4E 47 00` | "JPNG" and zero; bytes after them are ignored |
public enum JPNGTag {
    /// The segment's marker code: APP10.
    public static let marker: UInt8 = 0xEA

    /// The segment's payload: "JPNG" and a zero byte.
    public static var payload: [UInt8] { [0x4A, 0x50, 0x4E, 0x47, 0x00] }

    /// The nine bytes of the segment: marker, length and payload.
    public static var bytes: [UInt8] { [0xFF, marker, 0x00, 0x07] + payload }

    /// The offset at which a tag belongs in a JPEG; nil for bytes that don't begin as a complete JFIF segment or another JPEG.
    public static func place(in color: RawSpan) -> Int? {
        guard color.startsAsJPEG else { return nil }
        guard color.segmentStarts(at: 2, marker: 0xE0, payload: [0x4A, 0x46, 0x49, 0x46, 0x00]) else { return 2 }
        let end = 4 + color.bigEndianUInt16(at: 4)
        return end <= color.byteCount ? end : nil
    }

    /// The range of the tag in a JPEG; nil if it has none.
    public static func range(in color: RawSpan) -> Range<Int>? {
        guard let place = place(in: color), color.segmentStarts(at: place, marker: marker, payload: payload) else {
            return nil
        }
        let end = place + 2 + color.bigEndianUInt16(at: place + 2)
        return end <= color.byteCount ? place..<end : nil
    }
}

extension JPNGContainer {
    /// A copy of a file with a tag; nil if it has one. Everything else stays as it is, except for the colour part's size in the
    /// footer.
    public static func tagging(_ file: RawSpan) throws(JPNGError) -> [UInt8]? {
        let container = try JPNGContainer(verifying: file)
        let color = container.color(of: file)
        guard JPNGTag.range(in: color) == nil else { return nil }
        guard let place = JPNGTag.place(in: color) else {
            throw JPNGError(.invalidColorPart, "the colour part ends within its JFIF segment", offset: 2)
        }
        return try container.replacing(place..<place, with: JPNGTag.bytes, in: file)
    }

    /// A copy of a file without its tag; nil if it has none.
    public static func untagging(_ file: RawSpan) throws(JPNGError) -> [UInt8]? {
        let container = try JPNGContainer(verifying: file)
        guard let range = JPNGTag.range(in: container.color(of: file)) else { return nil }
        return try container.replacing(range, with: [], in: file)
    }

    /// The file with other bytes at a range of its colour part, and a footer that fits.
    private func replacing(
        _ range: Range<Int>, with bytes: [UInt8], in file: RawSpan
    ) throws(JPNGError) -> [UInt8] {
        let size = Int(footer.imageSize) - range.count + bytes.count
        guard let imageSize = UInt32(exactly: size) else {
            throw JPNGError(
                .partTooLarge, "the colour part has \(size) bytes; a JPNG part can have at most \(UInt32.max)")
        }
        var result: [UInt8] = []
        result.reserveCapacity(file.byteCount - range.count + bytes.count)
        // Each pointer is used for one copy only.
        file.extracting(0..<range.lowerBound).withUnsafeBytes { result.append(contentsOf: $0) }
        result.append(contentsOf: bytes)
        file.extracting(range.upperBound..<file.byteCount).withUnsafeBytes { result.append(contentsOf: $0) }
        // The sixteen known bytes are the last; other fields may precede them.
        let field = result.count - JPNGFooter.size
        for index in 0..<4 { result[field + index] = UInt8(truncatingIfNeeded: imageSize >> UInt32(8 * index)) }
        return result
    }
}

extension RawSpan {
    fileprivate func bigEndianUInt16(at offset: Int) -> Int { Int(byte(at: offset)) << 8 | Int(byte(at: offset + 1)) }

    /// Whether a segment with a marker and at least the payload's bytes begins at an offset.
    fileprivate func segmentStarts(at offset: Int, marker: UInt8, payload: [UInt8]) -> Bool {
        guard offset + 4 + payload.count <= byteCount, byte(at: offset) == 0xFF, byte(at: offset + 1) == marker,
            bigEndianUInt16(at: offset + 2) >= 2 + payload.count
        else { return false }
        for index in 0..<payload.count where byte(at: offset + 4 + index) != payload[index] { return false }
        return true
    }
}
