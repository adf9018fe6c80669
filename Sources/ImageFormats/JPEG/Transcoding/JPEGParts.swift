internal import JPEGBitstream
internal import Raster

/// A JPEG file as its application segments and comments, which can be replaced, and the bytes around them, which can't.
///
/// The parts assembled again are the file, byte for byte. Segments after the first scan stay where they are.
struct JPEGParts {
    /// A piece of the file.
    enum Part: Hashable {
        case segment(JPEGMetadataPayload)
        /// Bytes of the file that stay as they are.
        case bytes(Range<Int>)
        /// Bytes between segments, such as fill bytes, which decoders skip. They are left out once segments are replaced:
        /// in another place they might be a marker together with other bytes.
        case gap(Range<Int>)
    }

    /// The pieces up to the end of the image.
    private(set) var parts: [Part] = []
    /// The bytes after the end of the image.
    let trailing: Range<Int>
    let file: [UInt8]

    /// Finds the parts of `file`.
    /// - Throws: `corrupt` or `truncated` with the offset if it isn't a complete JPEG; `limitExceeded` for a file of
    ///   more segments than a walker records.
    init(_ file: [UInt8]) throws(ImageError) {
        let structure = JPEGStructure(of: file.span.bytes)
        if let failure = structure.failure { throw ImageError(failure) }
        guard structure.segmentCount == structure.segments.count else {
            throw ImageError(
                .limitExceeded,
                "the JPEG has \(structure.segmentCount) segments; the limit is \(structure.segments.count)")
        }
        let end = structure.endOffset ?? file.count
        var position = 0
        for segment in structure.segments.prefix(while: { $0.marker != .startOfScan }) {
            if position < segment.offset { parts.append(.gap(position..<segment.offset)) }
            position = segment.payload.upperBound
            if segment.marker.isApplication || segment.marker == .comment {
                parts.append(
                    .segment(JPEGMetadataPayload(marker: segment.marker.rawValue, bytes: Array(file[segment.payload]))))
            } else {
                parts.append(.bytes(segment.offset..<position))
            }
        }
        parts.append(.bytes(position..<end))
        trailing = end..<file.count
        self.file = file
    }

    /// The application segments and comments before the first scan, in their order; set, they follow the start of the
    /// image directly.
    var segments: [JPEGMetadataPayload] {
        get {
            parts.compactMap { if case .segment(let segment) = $0 { segment } else { nil } }
        }
        set {
            // The first bytes are the marker of the image's start, perhaps with tables after it.
            let rest = parts.compactMap {
                if case .bytes(let range) = $0 { range.clamped(to: 2..<file.count) } else { nil }
            }
            parts = [.bytes(0..<2)] + newValue.map { .segment($0) } + rest.filter { !$0.isEmpty }.map { .bytes($0) }
        }
    }

    /// The file with its segments as they are now, and the index of further images adjusted.
    /// - Throws: `unsupported` for a segment that is too long.
    func assembled() throws(ImageError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(file.count)
        for part in parts {
            switch part {
            case .bytes(let range), .gap(let range): result += file[range]
            case .segment(let segment): result += try segment.encoded
            }
        }
        return try Self.finished(result, trailing: file[trailing], from: file, imageEnd: trailing.lowerBound)
    }

    /// The segments before another image, `coded`, which has none, and the bytes after the end of this one.
    func assembled(around coded: [UInt8], keepsTrailing: Bool = true) throws(ImageError) -> [UInt8] {
        var result = Array(coded.prefix(2))
        result.reserveCapacity(file.count)
        for segment in segments { result += try segment.encoded }
        result += coded.dropFirst(2)
        return try Self.finished(
            result, trailing: keepsTrailing ? file[trailing] : [], from: file, imageEnd: trailing.lowerBound)
    }

    /// Appends the bytes after the image, and moves the offsets of further images by as much as they have moved.
    private static func finished(
        _ image: [UInt8], trailing: ArraySlice<UInt8>, from file: [UInt8], imageEnd: Int
    ) throws(ImageError) -> [UInt8] {
        var result = image
        if let old = multiPictureIndex(in: file), let new = multiPictureIndex(in: image) {
            JPEGPictureList.move(
                &result, in: new, imageByteCount: image.count,
                distance: image.count - imageEnd - (new.lowerBound - old.lowerBound))
        }
        return result + trailing
    }

    /// The range of the multi-picture index, after its signature.
    private static func multiPictureIndex(in file: [UInt8]) -> Range<Int>? {
        let structure = JPEGStructure(of: file.span.bytes)
        for segment in structure.segments where segment.marker == .application(2) {
            let prefix = JPEGMetadataSegment.multiPicturePrefix
            if file[segment.payload].starts(with: prefix) {
                return (segment.payload.lowerBound + prefix.count)..<segment.payload.upperBound
            }
        }
        return nil
    }
}

/// The content of an application segment or a comment.
struct JPEGMetadataPayload: Hashable {
    /// The marker's code, such as 0xE1 for APP1.
    let marker: UInt8
    var bytes: [UInt8]

    /// The kind of metadata; nil for others.
    var kind: JPEGMetadataSegment? { JPEGMetadataSegment(bytes, marker: marker) }

    /// The segment with its marker and length.
    fileprivate var encoded: [UInt8] {
        get throws(ImageError) {
            guard bytes.count <= JPEGMetadataSegment.maximumByteCount else {
                throw ImageError(
                    .unsupported,
                    "a block of \(bytes.count) bytes doesn't fit in a JPEG segment, which holds "
                        + "\(JPEGMetadataSegment.maximumByteCount)")
            }
            return [0xFF, marker] + (bytes.count + 2).bigEndianBytes(2) + bytes
        }
    }
}

extension JPEGPictureList {
    /// Changes the index at `range` in `file` for a first image of `imageByteCount` bytes, and further ones that are
    /// `distance` bytes farther away. A list that lies outside its segment stays.
    fileprivate static func move(_ file: inout [UInt8], in range: Range<Int>, imageByteCount: Int, distance: Int) {
        let (offset, index) = (range.lowerBound, Array(file[range]))
        guard let structure = EXIF(index), let count = structure.integer(.pictureCount, in: structure.first),
            let entry = structure.entry(.pictureList, in: structure.first),
            let list = structure.number(entry + 8, 4), count <= index.count / 16, list + 16 * count <= index.count
        else { return }
        for number in 0..<count {
            let start = list + 16 * number
            if number == 0 {
                file.replaceSubrange(
                    (offset + start + 4)..<(offset + start + 8), with: structure.encoded(imageByteCount, 4))
            } else if let place = structure.number(start + 8, 4), place > 0, place + distance > 0 {
                file.replaceSubrange(
                    (offset + start + 8)..<(offset + start + 12), with: structure.encoded(place + distance, 4))
            }
        }
    }
}
