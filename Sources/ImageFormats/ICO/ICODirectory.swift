internal import Raster

/// The directory at the beginning of an icon or cursor file: one entry per image.
struct ICODirectory {
    /// The directory entry of one image.
    struct Entry {
        /// The range of its bytes, clamped to the file.
        let range: Range<Int>
        /// The size in the entry, where 0 means 256.
        let size: PixelSize
        /// The hot spot of a cursor.
        let hotSpot: ImageMetadata.Point?
        /// Bits per pixel in the entry; 0 if unspecified.
        let bitsPerPixel: Int
    }

    /// The entries in file order.
    let entries: [Entry]

    /// Bytes before the first entry: two unused, the kind, and the number of entries.
    static let headByteCount = 6
    /// Bytes per entry.
    static let entryByteCount = 16

    /// Reads the directory at the beginning of `bytes`, which must be the complete file.
    /// - Throws: `truncated` for an incomplete directory, `corrupt` for a missing or empty one, `limitExceeded` for too
    ///   many entries.
    init(_ bytes: [UInt8], format: ImageFormat, limits: DecodingLimits) throws(ImageError) {
        guard let kind = bytes.littleEndian(at: 2, byteCount: 2), let count = bytes.littleEndian(at: 4, byteCount: 2)
        else { throw ImageError(.truncated, "the \(format) file ends within its head", byteOffset: bytes.count) }
        guard bytes[0] == 0, bytes[1] == 0, kind == Self.kind(of: format), count > 0 else {
            throw ImageError(.corrupt, "the file doesn't begin with a list of \(format) images", byteOffset: 0)
        }
        guard count <= limits.maximumFrameCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file has \(count) images; the limit is \(limits.maximumFrameCount)"
                    + " (DecodingLimits.maximumFrameCount)")
        }
        guard Self.headByteCount + count * Self.entryByteCount <= bytes.count else {
            throw ImageError(.truncated, "the \(format) file ends within its list", byteOffset: bytes.count)
        }
        entries = (0..<count).map { index in
            let start = Self.headByteCount + index * Self.entryByteCount
            // In bounds, as the whole directory is present.
            func field(_ offset: Int, _ byteCount: Int) -> Int {
                bytes.littleEndian(at: start + offset, byteCount: byteCount)!
            }
            func side(_ offset: Int) -> Int { field(offset, 1) == 0 ? 256 : field(offset, 1) }
            let begin = min(bytes.count, field(12, 4))
            let isCursor = format == .cur
            return Entry(
                range: begin..<min(bytes.count, begin + field(8, 4)),
                size: PixelSize(width: side(0), height: side(1)),
                hotSpot: isCursor ? ImageMetadata.Point(x: field(4, 2), y: field(6, 2)) : nil,
                bitsPerPixel: isCursor ? 0 : field(6, 2))
        }
    }

    /// The value of the file's type field: 1 for icons, 2 for cursors.
    static func kind(of format: ImageFormat) -> Int { format == .cur ? 2 : 1 }

    /// The default image: the largest, and among equals the deepest.
    ///
    /// Uses the images' own headers where they are readable, as the directory often omits the depth. The depth of a PNG
    /// is that of its samples, unless the directory gives fewer bits: then it has few colours written as RGBA.
    func preferredIndex(in bytes: [UInt8]) -> Int {
        var best = (index: 0, pixelCount: -1, bitsPerPixel: -1)
        for (index, entry) in entries.enumerated() {
            guard let (size, bits) = Self.facts(entry, in: bytes) else { continue }
            if size.pixelCount > best.pixelCount || size.pixelCount == best.pixelCount && bits > best.bitsPerPixel {
                best = (index, size.pixelCount, bits)
            }
        }
        return best.index
    }

    /// The size and depth in an image's own header; nil for an image that can't be read.
    private static func facts(_ entry: Entry, in bytes: [UInt8]) -> (PixelSize, Int)? {
        let start = entry.range.lowerBound
        if isPNG(bytes, entry) {
            // The header is the first chunk: length, type, width and height, four bytes each in big-endian order.
            guard entry.range.count >= 26 else { return nil }
            let sides = [16, 20].map { offset in
                (0..<4).reduce(0) { $0 << 8 | Int(bytes[start + offset + $1]) }
            }
            // Bits per sample, and a colour type that determines the samples per pixel.
            let sampleCount = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][bytes[start + 25]] ?? 0
            let bits = Int(bytes[start + 24]) * sampleCount
            return (
                PixelSize(width: sides[0], height: sides[1]),
                entry.bitsPerPixel > 0 ? min(bits, entry.bitsPerPixel) : bits
            )
        }
        guard let header = bitmapHeader(entry, in: bytes) else { return nil }
        return (PixelSize(width: header.size.width, height: header.size.height / 2), header.bitsPerPixel)
    }

    /// The header of an image stored as a bitmap; nil if there is none.
    private static func bitmapHeader(_ entry: Entry, in bytes: [UInt8]) -> BMPHeader? {
        // No header is longer.
        try? BMPHeader(Array(bytes[entry.range.lowerBound...].prefix(256)), at: 0)
    }

    /// The bytes of a bitmap. Some directories give a length that excludes the pixels; the bitmap then extends to the
    /// end of the file.
    static func bitmapRange(_ entry: Entry, in bytes: [UInt8]) -> Range<Int> {
        guard let header = bitmapHeader(entry, in: bytes) else { return entry.range }
        let palette = header.paletteEntryCount * header.paletteEntryByteCount
        let needed = header.paletteOffset + palette + header.rowByteCount * (header.size.height / 2)
        return entry.range.count < needed ? entry.range.lowerBound..<bytes.count : entry.range
    }

    /// Whether an image is stored as a PNG file rather than a bitmap.
    static func isPNG(_ bytes: [UInt8], _ entry: Entry) -> Bool {
        bytes[entry.range].starts(with: PNGChunkReader.signature)
    }
}
