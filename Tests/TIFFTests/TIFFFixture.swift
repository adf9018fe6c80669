#if TIFF
import ImageFormats
import Raster

/// TIFF files put together byte by byte: a directory first, then its values, then its strips or tiles.
struct TIFFFixture {
    /// A field's type and values.
    typealias Field = (type: Int, values: [UInt64])

    /// A directory.
    struct Page {
        /// Type and values by tag; fractions (type 5) as numerator and denominator in turn.
        var fields: [Int: Field]
        /// Packed bytes of strips, or of tiles where there is a tile's width.
        var chunks: [[UInt8]]
        /// Directories that this one refers to as its sub-directories (330), EXIF's (34665) or GPS's (34853).
        var children: [Int: [Page]] = [:]

        init(_ fields: [Int: Field], chunks: [[UInt8]] = []) {
            self.fields = fields
            self.chunks = chunks
        }

        /// A picture of `width` × `height` in one strip, whose photometric interpretation is `photometric`.
        init(
            _ width: Int, _ height: Int, photometric: UInt64, bits: [UInt64] = [8],
            more: [Int: Field] = [:], chunks: [[UInt8]]
        ) {
            fields = [
                256: (4, [UInt64(width)]), 257: (4, [UInt64(height)]), 258: (3, bits), 259: (3, [1]),
                262: (3, [photometric]), 277: (3, [UInt64(bits.count)]), 278: (4, [UInt64(height)]),
            ]
            fields.merge(more) { $1 }
            self.chunks = chunks
        }
    }

    var isLittleEndian = true
    var isBig = false

    /// A file of `pages`; the last one's next directory is `last`.
    func file(_ pages: [Page], last: Int = 0) -> [UInt8] {
        let head: [UInt8] = (isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]) + number(isBig ? 43 : 42, 2)
        var bytes = isBig ? head + number(8, 2) + number(0, 2) + number(16, 8) : head + number(8, 4)
        for (index, page) in pages.enumerated() {
            append(page, to: &bytes, next: index + 1 < pages.count ? nil : last)
        }
        return bytes
    }

    func file(_ page: Page) -> [UInt8] { file([page]) }

    /// Appends a directory and all that belongs to it.
    /// - Parameter next: Where the next directory is; nil: right behind.
    private func append(_ page: Page, to bytes: inout [UInt8], next: Int?) {
        let word = isBig ? 8 : 4
        var fields = page.fields
        let isTiled = fields[322] != nil
        if !page.chunks.isEmpty {
            let places = [UInt64](repeating: 0, count: page.chunks.count)
            if fields[isTiled ? 324 : 273] == nil { fields[isTiled ? 324 : 273] = (isBig ? 16 : 4, places) }
            if fields[isTiled ? 325 : 279] == nil {
                fields[isTiled ? 325 : 279] = (4, page.chunks.map { UInt64($0.count) })
            }
        }
        for (tag, children) in page.children {
            fields[tag] = (isBig ? 16 : 4, [UInt64](repeating: 0, count: children.count))
        }
        let directory = bytes.count
        var values = directory + (isBig ? 8 : 2) + fields.count * (isBig ? 20 : 12) + word
        var tail: [UInt8] = []
        var places: [Int: Int] = [:]
        bytes += number(UInt64(fields.count), isBig ? 8 : 2)
        for tag in fields.keys.sorted() {
            let (type, list) = fields[tag]!
            let size = [1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 7: 1, 11: 4, 12: 8, 16: 8][type]!
            let encoded = list.flatMap { number($0, size) }
            bytes += number(UInt64(tag), 2) + number(UInt64(type), 2)
            bytes += number(UInt64(type == 5 ? list.count / 2 : list.count), word)
            if encoded.count <= word {
                places[tag] = bytes.count
                bytes += encoded + [UInt8](repeating: 0, count: word - encoded.count)
            } else {
                places[tag] = values
                bytes += number(UInt64(values), word)
                tail += encoded + (encoded.count % 2 == 1 ? [0] : [])
                values = values + (encoded.count + 1) / 2 * 2
            }
        }
        let link = bytes.count
        bytes += number(UInt64(next ?? 0), word) + tail
        for (index, chunk) in page.chunks.enumerated() where page.fields[isTiled ? 324 : 273] == nil {
            set(UInt64(bytes.count), at: places[isTiled ? 324 : 273]! + index * word, word, in: &bytes)
            bytes += chunk + (chunk.count % 2 == 1 ? [0] : [])
        }
        for (tag, children) in page.children {
            for (index, child) in children.enumerated() {
                set(UInt64(bytes.count), at: places[tag]! + index * word, word, in: &bytes)
                append(child, to: &bytes, next: 0)
            }
        }
        if next == nil { set(UInt64(bytes.count), at: link, word, in: &bytes) }
    }

    private func set(_ value: UInt64, at place: Int, _ byteCount: Int, in bytes: inout [UInt8]) {
        bytes.replaceSubrange(place..<(place + byteCount), with: number(value, byteCount))
    }

    func number(_ value: UInt64, _ byteCount: Int) -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        return isLittleEndian ? bytes : bytes.reversed()
    }

    // MARK: Decoding

    static let registry = CodecRegistry([TIFFCodec()])

    static func decode(
        _ file: [UInt8], plan: DecodingPlan = .full, bits: Int = 16, page: Int? = nil,
        color: DecodingOptions.Color = .asStored, limits: DecodingLimits = .standard
    ) throws(ImageError) -> DecodedImage {
        let options = DecodingOptions(
            color: color, maximumBitsPerChannel: bits, appliesOrientation: false, imageIndex: page, limits: limits)
        return try ImageSource.decode(file, plan: plan, options: options, registry: registry)
    }

    /// The bitmap of a file that must decode without a fault.
    static func bitmap(
        _ file: [UInt8], plan: DecodingPlan = .full, bits: Int = 16, page: Int? = nil,
        color: DecodingOptions.Color = .asStored
    ) throws(ImageError) -> Bitmap {
        let decoded = try decode(file, plan: plan, bits: bits, page: page, color: color)
        if let error = decoded.error { throw error }
        return decoded.bitmap
    }
}
#endif
