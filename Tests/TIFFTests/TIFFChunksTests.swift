#if TIFF
import CTesseraKernels
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing

/// Large images are unpacked on all processors, small windows of them on one thread.
@Suite("TIFF: strips and tiles at once")
struct TIFFChunksTests {
    static let compressions = [EncodingOptions.TIFF.Compression.none, .lzw, .deflate]

    private static func file(
        _ bitmap: Bitmap, _ compression: EncodingOptions.TIFF.Compression, tile: PixelSize? = nil
    ) throws -> [UInt8] {
        var options = EncodingOptions()
        options.tiff.compression = compression
        options.tiff.tileSize = tile
        return try ImageDestination(format: .tiff, options: options).encode(bitmap)
    }

    private static func picture(_ format: PixelFormat) throws -> Bitmap {
        let picture = try SamplePicture.fruit.makeBitmap(size: PixelSize(width: 700, height: 610))
        return try picture.converted(to: format, alpha: format.isGray ? AlphaMode.none : picture.alpha)
    }

    @Test(
        "Every pixel is kept, whole, in windows and in rows of any number",
        arguments: compressions, [PixelFormat.rgba8, .rgba16, .gray8, .gray16])
    func pixels(compression: EncodingOptions.TIFF.Compression, format: PixelFormat) throws {
        let bitmap = try Self.picture(format)
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        for tile in [nil, PixelSize(width: 64, height: 48), PixelSize(width: 720, height: 16)] {
            let file = try Self.file(bitmap, compression, tile: tile)
            let decoded = try ImageSource.decode(file, options: options)
            #expect(decoded.error == nil && decoded.bitmap.tightBytes() == bitmap.tightBytes())
            // The first has enough pixels for several threads, the second hasn't.
            for region in [
                PixelRect(x: 3, y: 5, width: 690, height: 601), PixelRect(x: 60, y: 47, width: 70, height: 300),
            ] {
                let part = try ImageSource.decode(file, plan: DecodingPlan(region: region), options: options)
                #expect(part.bitmap.tightBytes() == (try bitmap.cropped(to: region)).tightBytes())
            }
            let source = try ImageRowSource(Source(file), options: options)
            var row = try MutableBitmap(
                BitmapInfo(size: PixelSize(width: 700, height: 7), format: format, alpha: bitmap.alpha))
            var y = 0
            while y < 610 {
                let count = try row.withMutableRows(0..<7) { (rows) throws(ImageError) in
                    try source.read(into: &rows)
                }
                try #require(count > 0)
                let part = PixelRect(x: 0, y: y, width: 700, height: count)
                let made = try row.bytesOfRows(count)
                #expect(made == (try bitmap.cropped(to: part)).tightBytes())
                y += count
            }
        }
    }

    @Test("Rows before a damaged strip are the same as those of a reader of single rows", arguments: compressions)
    func damage(compression: EncodingOptions.TIFF.Compression) throws {
        let bitmap = try Self.picture(.rgba8)
        let file = try Self.file(bitmap, compression)
        // The strips come before the directory.
        let truncated = file.count * 2 / 3
        var damaged = file
        for index in truncated..<(truncated + 64) { damaged[index] = 0xFF }
        let decoded = try ImageSource.decode(damaged, options: DecodingOptions(color: .asStored))
        guard compression != .none else {
            #expect(decoded.error == nil)
            return
        }
        #expect(decoded.error?.code == .corrupt || decoded.bitmap.tightBytes() != bitmap.tightBytes())
        let rows = PixelRect(x: 0, y: 0, width: 700, height: 100)
        #expect(try decoded.bitmap.cropped(to: rows).tightBytes() == bitmap.cropped(to: rows).tightBytes())
    }

    // MARK: LZW

    /// Codes of nine bits, from the highest bit down.
    private static func packed(_ codes: [Int]) -> [UInt8] {
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for code in codes {
            bits = bits << 9 | code
            count += 9
            while count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: bits << (8 - count))) }
        return bytes
    }

    private static func unpacked(_ bytes: [UInt8], room: Int) -> [UInt8]? {
        var target = [UInt8](repeating: 0xAA, count: room + 8)
        let count = tessera_lzw_unpack(bytes, bytes.count, &target, room)
        // Nothing beyond the room may be written.
        #expect(target[room...].allSatisfy { $0 == 0xAA })
        return count < 0 ? nil : Array(target.prefix(count))
    }

    @Test("Codes stand for earlier output, also for a string that they only begin")
    func strings() {
        // "ab", "ab" again, and the string that code 260 is about to become.
        #expect(Self.unpacked(Self.packed([256, 97, 98, 258, 260, 257]), room: 20) == Array("abababa".utf8))
        // 1, 11, 111, … of one byte: each code is the one about to be made.
        let growing = Self.packed([256, 49] + Array(258..<270) + [257])
        #expect(Self.unpacked(growing, room: 200) == [UInt8](repeating: 49, count: 1 + (2...13).reduce(0, +)))
        // Cut off by the room, at every length.
        for room in 0..<91 { #expect(Self.unpacked(growing, room: room) == [UInt8](repeating: 49, count: room)) }
        // The table is cleared.
        #expect(Self.unpacked(Self.packed([256, 97, 98, 256, 99, 100, 258, 257]), room: 9) == Array("abcdcd".utf8))
    }

    @Test("Other streams are left to libtiff")
    func invalid() {
        #expect(Self.unpacked([], room: 5) == nil)
        #expect(Self.unpacked([0x80], room: 5) == nil)
        // Without the first code; the oldest kind, from the lowest bit up.
        #expect(Self.unpacked(Self.packed([97, 98, 257]), room: 5) == nil)
        #expect(Self.unpacked([0x00, 0x01, 0xC2], room: 5) == nil)
        // A code that isn't there yet, at the start and later.
        #expect(Self.unpacked(Self.packed([256, 258, 257]), room: 5) == nil)
        #expect(Self.unpacked(Self.packed([256, 97, 259, 257]), room: 5) == nil)
        #expect(Self.unpacked(Self.packed([256, 97, 98, 400, 257]), room: 5) == nil)
        // Too few bytes give what there is.
        #expect(Self.unpacked(Array(Self.packed([256, 97, 98, 99, 100]).dropLast(2)), room: 9)?.count == 2)
        // Entries without end.
        #expect(Self.unpacked([0x80] + [UInt8](repeating: 0, count: 20_000), room: 1 << 20) == nil)
    }

    @Test("Differences are undone", arguments: 1...5)
    func differences(step: Int) {
        let bytes = (0..<101).map { UInt8(truncatingIfNeeded: $0 * 37 + 5) }
        var sums = bytes
        tessera_add_left(&sums, sums.count, step)
        var wide = bytes
        tessera_add_left_wide(&wide, 50, step)
        let words = { (bytes: [UInt8]) in
            (0..<50).map { UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8 }
        }
        for index in bytes.indices {
            #expect(sums[index] == (index < step ? bytes[index] : bytes[index] &+ sums[index - step]))
        }
        for index in 0..<50 {
            let (before, after) = (words(bytes), words(wide))
            #expect(after[index] == (index < step ? before[index] : before[index] &+ after[index - step]))
        }
        #expect(wide[100] == bytes[100])
    }
}

extension MutableBitmap {
    /// The bytes of the first `count` rows, without padding.
    fileprivate mutating func bytesOfRows(_ count: Int) throws -> [UInt8] {
        var info = info
        info.size.height = count
        var copy = try MutableBitmap(info)
        withMutableRows(0..<count) { rows in
            copy.withMutableRows(0..<count) { $0.copy(rows.readOnly) }
        }
        return copy.freeze().tightBytes()
    }
}
#endif
