internal import Raster

/// Iterates over the boxes of a file (ISO/IEC 14496-12, 4.2), of which it reads the heads only.
struct ISOFileBoxes {
    /// A box's type, and the range of its contents, which may end beyond the file.
    struct Box {
        let type: FourCharacterCode
        let contents: Range<Int>
    }

    private let source: Source
    private var position = 0
    private var count = 0

    /// The number of boxes that are read. libjxl writes one for each part of a codestream at most.
    private static let maximumCount = 10_000

    /// The boxes of `source`; none of a stream.
    init(_ source: Source) { self.source = source }

    /// The number of bytes of the file.
    var byteCount: Int { source.byteCount ?? 0 }

    /// Reads the head of the next box; nil where none begins.
    /// - Throws: `inputOutput`.
    mutating func next() throws(ImageError) -> Box? {
        guard count < Self.maximumCount, position < byteCount else { return nil }
        count += 1
        let head = try source.bytes(upTo: 16, at: position) ?? []
        guard var length = head.bigEndian(at: 0, byteCount: 4), let code = head.bigEndian(at: 4, byteCount: 4) else {
            return nil
        }
        var headByteCount = 8
        if length == 1 {
            guard let long = head.bigEndian(at: 8, byteCount: 8) else { return nil }
            (length, headByteCount) = (long, 16)
        } else if length == 0 {
            length = byteCount - position
        }
        guard length >= headByteCount else { return nil }
        let (end, overflows) = position.addingReportingOverflow(length)
        let start = position + headByteCount
        position = overflows ? .max : end
        return Box(type: FourCharacterCode(rawValue: UInt32(code)), contents: start..<position)
    }
}
