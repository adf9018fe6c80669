internal import Raster

/// The items of a HEIF or AVIF file whose bytes stay in the file: only the boxes that describe them are in memory.
struct ISOItemReader {
    let items: ISOImageItems
    /// The `meta` box, in which the items' properties are.
    let boxes: [UInt8]
    /// The contents of the file type box.
    let fileType: [UInt8]
    private let source: Source
    /// The offset of a byte in the file minus its position in `boxes`.
    private let distance: Int

    /// The file type's contents have a few brands.
    private static let maximumFileTypeByteCount = 4096
    private static let headByteCount = 8

    /// Reads the boxes of `source`; nil if it has no whole `meta` box.
    /// - Throws: `limitExceeded` if they have more bytes than `limits` allow for input; `inputOutput`, and `truncated` for
    ///   a file that becomes shorter.
    init?(_ source: Source, limits: DecodingLimits) throws(ImageError) {
        let source = try ISOItemFile.expanded(source, limits: limits)
        var reader = ISOFileBoxes(source)
        var fileType: [UInt8] = []
        while let box = try reader.next() {
            guard box.contents.upperBound <= reader.byteCount else { return nil }
            if box.type == "ftyp", box.contents.count <= Self.maximumFileTypeByteCount {
                fileType = try source.bytes(box.contents.count, at: box.contents.lowerBound)
            }
            guard box.type == "meta" else { continue }
            guard box.contents.count <= min(limits.maximumInputByteCount, 1 << 31) else {
                throw Self.tooLong("the file's list of items", limits.maximumInputByteCount, "maximumInputByteCount")
            }
            let contents = try source.bytes(box.contents.count, at: box.contents.lowerBound)
            boxes = ISOBoxWriter.box("meta", contents)
            distance = box.contents.lowerBound - Self.headByteCount
            guard let items = ISOImageItems(boxes, fileByteCount: reader.byteCount) else { return nil }
            self.items = items
            self.fileType = fileType
            self.source = source
            return
        }
        return nil
    }

    /// Reads the bytes of an item, and returns them with the first one's offset in the file; nil if they are missing or in
    /// another file.
    /// - Parameter name: The property of `DecodingLimits` that `limit` comes from.
    /// - Throws: `limitExceeded` for more than `limit` bytes, before memory is allocated; errors of reading.
    func data(
        of item: Int, limit: Int, _ name: String = "maximumInputByteCount"
    ) throws(ImageError) -> (bytes: [UInt8], offset: Int)? {
        guard let place = items.place(of: item), let first = place.ranges.first else { return nil }
        var byteCount = 0
        for range in place.ranges {
            guard range.count <= limit - byteCount else {
                throw Self.tooLong("item \(item) of the file", limit, name)
            }
            byteCount += range.count
        }
        guard !place.isInItemData else {
            return (place.ranges.flatMap { boxes[$0] }, first.lowerBound + distance)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for range in place.ranges { bytes += try source.bytes(range.count, at: range.lowerBound) }
        return (bytes, first.lowerBound)
    }

    /// Reads the XMP packet that describes an item; nil if there is none within the limit for metadata.
    func xmp(of item: Int, limits: DecodingLimits) throws(ImageError) -> [UInt8]? {
        guard let packet = items.descriptions[item]?.first(where: { items.type(of: $0) == "mime" }) else { return nil }
        do throws(ImageError) {
            return try data(of: packet, limit: limits.maximumMetadataByteCount, "maximumMetadataByteCount")?.bytes
        } catch {
            guard error.code == .limitExceeded else { throw error }
            return nil
        }
    }

    private static func tooLong(_ part: String, _ limit: Int, _ name: String) -> ImageError {
        ImageError(.limitExceeded, "\(part) has more than \(limit) bytes, the limit (DecodingLimits.\(name))")
    }
}
