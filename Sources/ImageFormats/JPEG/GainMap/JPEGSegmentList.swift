internal import Raster

/// A JPEG's application segments and comments before its first scan: their places, read from any part of a source without
/// decoding. Some writers put the index of images right before the scan.
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
    /// The offset of the first marker that isn't an application's or a comment: other segments may be inserted there.
    let place: Int
    /// The offset of the first scan's marker.
    let end: Int

    /// The number of segments that are read; files have fewer than 20, except for large profiles.
    private static let maximumCount = 1000

    /// Reads the segments of the JPEG at `offset`.
    /// - Throws: `corrupt` if no JPEG begins there; `truncated`; `inputOutput`.
    init(_ source: Source, at offset: Int = 0) throws(ImageError) {
        var position = 2
        guard try source.bytes(upTo: 2, at: offset) == [0xFF, 0xD8] else {
            throw ImageError(.corrupt, "no JPEG begins at byte \(offset)", byteOffset: offset)
        }
        var segments: [Segment] = []
        var place: Int?
        for _ in 0..<Self.maximumCount {
            let head = try source.bytes(upTo: 4, at: offset + position) ?? []
            guard head.count == 4 else {
                throw ImageError(.truncated, "the JPEG ends within its head", byteOffset: offset + position)
            }
            // A marker may be preceded by any number of fill bytes (ITU-T T.81, B.1.1.2).
            if head[0] == 0xFF, head[1] == 0xFF {
                position += 1
                continue
            }
            // Start-of-scan, end-of-image, and bytes that are no marker.
            guard head[0] == 0xFF, head[1] > 0xBF, !(0xD0...0xDA).contains(head[1]) else { break }
            let count = Int(head[2]) << 8 | Int(head[3])
            guard count >= 2 else {
                throw ImageError(
                    .corrupt, "a JPEG's segment has a length of \(count), expected at least 2",
                    byteOffset: offset + position)
            }
            if 0xE0...0xEF ~= head[1] || head[1] == 0xFE {
                segments.append(Segment(marker: head[1], payload: (position + 4)..<(position + 2 + count)))
            } else {
                place = place ?? position
            }
            position += 2 + count
        }
        // The last of too many may end beyond the source.
        guard try source.bytes(upTo: 1, at: offset + position - 1)?.count == 1 else {
            throw ImageError(.truncated, "the JPEG ends within its head", byteOffset: offset + position)
        }
        self.segments = segments
        self.place = place ?? position
        end = position
    }
}
