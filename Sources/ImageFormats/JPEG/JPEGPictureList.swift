internal import Raster

/// The list of pictures in a file of several (CIPA DC-007, "MPF"): further ones stand behind the first one's end.
struct JPEGPictureList {
    /// Where each is in the file. The first is the file's own and begins at 0.
    let ranges: [Range<Int>]

    /// Bytes of an entry: attributes, byte count, offset, and the numbers of two pictures that belong to it.
    private static let entryByteCount = 16

    /// The list in a segment's `bytes`, which begin at `offset` of the file after the segment's signature; nil when it
    /// isn't whole, has but one picture or more than the limit, or points to where no further picture can be.
    init?(_ bytes: [UInt8], at offset: Int, limits: DecodingLimits) {
        // A TIFF structure like EXIF's; pictures' places are counted from its beginning.
        guard let structure = EXIF(bytes), let count = structure.integer(.pictureCount, in: structure.first),
            2...max(2, limits.maximumFrameCount) ~= count,
            let entry = structure.entry(.pictureList, in: structure.first),
            structure.number(entry + 4, 4) == count * Self.entryByteCount, let list = structure.number(entry + 8, 4)
        else { return nil }
        var ranges: [Range<Int>] = []
        for index in 0..<count {
            let start = list + index * Self.entryByteCount
            guard let byteCount = structure.number(start + 4, 4), let place = structure.number(start + 8, 4) else {
                return nil
            }
            // The first picture's place is written as 0 and means the file's beginning.
            guard index == 0 || place >= bytes.count, byteCount > 0 else { return nil }
            let first = index == 0 ? 0 : offset + place
            ranges.append(first..<(first + byteCount))
        }
        self.ranges = ranges
    }
}
