#if JPEGXL
internal import Raster

/// The boxes of a JPEG XL file (ISO/IEC 18181-2). A file can also be a bare codestream.
enum JPEGXLContainer {
    /// The signature box.
    static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
    /// The first bytes of a codestream.
    static let codestreamSignature: [UInt8] = [0xFF, 0x0A]

    /// The number of boxes that are read to find one. libjxl writes one for each part of a codestream at most.
    private static let maximumBoxCount = 10_000

    /// Returns the range of the contents of the first box of `type`; nil if there is none, or `source` is a codestream.
    /// - Throws: `truncated` if the box ends beyond the source; `inputOutput`.
    static func contents(of type: FourCharacterCode, in source: Source) throws(ImageError) -> Range<Int>? {
        guard let byteCount = source.byteCount, try source.bytes(upTo: signature.count, at: 0) == signature else {
            return nil
        }
        var position = 0
        for _ in 0..<maximumBoxCount {
            guard let box = try head(at: position, in: source, byteCount: byteCount) else { return nil }
            let (end, overflows) = position.addingReportingOverflow(box.byteCount)
            if box.type == type {
                guard !overflows, end <= byteCount else {
                    throw ImageError(
                        .truncated, "the file has \(byteCount) bytes, and its box '\(type)' ends later",
                        byteOffset: byteCount)
                }
                return (position + box.headByteCount)..<end
            }
            guard !overflows else { return nil }
            position = end
        }
        return nil
    }

    /// The head of the box at `position`; nil if none begins there.
    private static func head(
        at position: Int, in source: Source, byteCount: Int
    ) throws(ImageError) -> (type: FourCharacterCode, headByteCount: Int, byteCount: Int)? {
        let head = try source.bytes(upTo: 16, at: position) ?? []
        guard position < byteCount, var length = head.bigEndian(at: 0, byteCount: 4),
            let code = head.bigEndian(at: 4, byteCount: 4)
        else { return nil }
        var headByteCount = 8
        if length == 1 {
            guard let long = head.bigEndian(at: 8, byteCount: 8) else { return nil }
            (length, headByteCount) = (long, 16)
        } else if length == 0 {
            length = byteCount - position
        }
        guard length >= headByteCount else { return nil }
        return (FourCharacterCode(rawValue: UInt32(code)), headByteCount, length)
    }

    /// Returns `file`, complete and valid, with a further box of `type` at its end; a codestream becomes a container.
    static func file(_ file: [UInt8], appending type: FourCharacterCode, _ contents: [UInt8]) -> [UInt8] {
        let box = ISOBoxWriter.box(type, contents)
        guard file.starts(with: signature) else {
            let fileType = ISOBoxWriter.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
            return signature + fileType + ISOBoxWriter.box("jxlc", file) + box
        }
        var closed = file
        var reader = ISOBoxReader(file, 0..<file.count)
        var start = 0
        while reader.box() != nil {
            // A length of 0 means the rest of the file.
            if file.bigEndian(at: start, byteCount: 4) == 0 {
                closed.replaceSubrange(start..<(start + 4), with: (file.count - start).bigEndianBytes(4))
            }
            start = reader.offset
        }
        return closed + box
    }
}
#endif
