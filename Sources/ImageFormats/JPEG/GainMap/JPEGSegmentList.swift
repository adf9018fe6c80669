internal import Raster

/// The segments of a JPEG before its frame: their places, read from any part of a source without decoding.
struct JPEGSegmentList {
    /// A segment's payload, after its length.
    struct Segment {
        /// The marker's code, such as 0xE1 for APP1.
        let marker: UInt8
        /// The payload's range in the JPEG.
        let payload: Range<Int>

        /// The range of marker, length and payload.
        var range: Range<Int> { (payload.lowerBound - 4)..<payload.upperBound }
    }

    let segments: [Segment]
    /// The offset of the first marker that isn't an application's or a comment.
    let end: Int

    /// The number of segments that are read; files have fewer than 20, except for large profiles.
    private static let maximumCount = 1000

    /// Reads the application segments and comments at the start of the JPEG at `offset`.
    /// - Throws: `corrupt` if no JPEG begins there; `truncated`; `inputOutput`.
    init(_ source: Source, at offset: Int = 0) throws(ImageError) {
        var position = 2
        guard try source.bytes(upTo: 2, at: offset) == [0xFF, 0xD8] else {
            throw ImageError(.corrupt, "no JPEG begins at byte \(offset)", byteOffset: offset)
        }
        var segments: [Segment] = []
        while segments.count < Self.maximumCount {
            let head = try source.bytes(upTo: 4, at: offset + position) ?? []
            guard head.count == 4 else {
                throw ImageError(.truncated, "the JPEG ends within its head", byteOffset: offset + position)
            }
            // A marker may be preceded by any number of fill bytes (ITU-T T.81, B.1.1.2).
            if head[0] == 0xFF, head[1] == 0xFF {
                position += 1
                continue
            }
            guard head[0] == 0xFF, 0xE0...0xEF ~= head[1] || head[1] == 0xFE else { break }
            let count = Int(head[2]) << 8 | Int(head[3])
            guard count >= 2 else {
                throw ImageError(
                    .corrupt, "a JPEG's segment has a length of \(count), expected at least 2",
                    byteOffset: offset + position)
            }
            segments.append(Segment(marker: head[1], payload: (position + 4)..<(position + 2 + count)))
            position += 2 + count
        }
        self.segments = segments
        end = position
    }
}
