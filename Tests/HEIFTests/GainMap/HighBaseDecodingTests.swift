#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Bases in PQ whose maps lead to the standard range, decoded to it in every way.
@Suite(
    "Decoding high bases with gain maps", .enabled(if: HEIFCodec().canEncode && AVIFCodec().canEncode, "no encoders"))
struct HighBaseDecodingTests {
    private static let formats = HighBaseFileTests.formats

    private static func file(_ format: ImageFormat, orientation: Orientation = .up) throws -> [UInt8] {
        try GainMapFixture.file(GainMapFixture.highBase().image, as: format, orientation: orientation)
    }

    private static func options(_ bits: Int) -> DecodingOptions {
        var options = DecodingOptions()
        options.maximumBitsPerChannel = bits
        return options
    }

    /// The file's alternate rendition, of 16 bits.
    private static func alternate(_ file: [UInt8]) throws -> Bitmap {
        try Image(data: file).rendered(for: .standard).bitmap()
    }

    @Test("Rows, bitmaps and arriving images are the alternate rendition", arguments: formats, [8, 16])
    func ways(format: ImageFormat, bits: Int) throws {
        let file = try Self.file(format)
        let alternate = try Self.alternate(file)
        let expected = bits == 16 ? alternate : try alternate.converted(to: .rgba8)
        let options = Self.options(bits)
        let rows = try ImageRowSource(Source(file), options: options)
        #expect(rows.info.profile == .sRGB && rows.header.profile.isHighDynamicRange)
        #expect(try rows.makeBitmap().tightBytes() == expected.tightBytes())
        try rows.finish()
        let decoded = try ImageSource.decode(file, options: options)
        #expect(decoded.error == nil && decoded.bitmap.tightBytes() == expected.tightBytes())
        #expect(try Image(data: file, options: options).bitmap().tightBytes() == expected.tightBytes())
        for size in [1000, file.count] {
            let arriving = ImageSource(options: options)
            for start in stride(from: 0, to: file.count, by: size) {
                try arriving.append(file[start..<min(file.count, start + size)])
            }
            try arriving.finish()
            #expect(try arriving.currentBitmap()?.tightBytes() == expected.tightBytes(), "pieces of \(size)")
        }
    }

    @Test("A region is that of the whole", arguments: formats)
    func region(format: ImageFormat) throws {
        let file = try Self.file(format)
        let region = PixelRect(x: 31, y: 17, width: 40, height: 29)
        let decoded = try ImageSource.decode(file, plan: DecodingPlan(region: region), options: Self.options(16))
        #expect(try decoded.bitmap.tightBytes() == Self.alternate(file).cropped(to: region).tightBytes())
    }

    @Test("The rendition is upright", arguments: formats, [Orientation.right, .down])
    func orientation(format: ImageFormat, orientation: Orientation) throws {
        let file = try Self.file(format, orientation: orientation)
        let decoded = try ImageSource.decode(file, options: Self.options(16)).bitmap
        #expect(try decoded.tightBytes() == Self.alternate(file).tightBytes())
    }

    @Test("Other ranges have the base", arguments: formats, [DynamicRange.asStored, .high(headroom: .infinity)])
    func others(format: ImageFormat, range: DynamicRange) throws {
        let file = try Self.file(format)
        var (converted, stored) = (Self.options(16), Self.options(16))
        converted.dynamicRange = range
        stored.color = .asStored
        let decoded = try ImageSource.decode(file, options: converted).bitmap
        #expect(decoded.profile.isHighDynamicRange)
        #expect(try decoded.tightBytes() == ImageSource.decode(file, options: stored).bitmap.tightBytes())
    }

    @Test("A transparent base keeps its alpha", arguments: formats)
    func alpha(format: ImageFormat) throws {
        let (_, image) = try GainMapFixture.highBase()
        let mask = try CodedFile.sample(.rgba8, alpha: .straight, width: 96, height: 64)
        var pixels = try image.bitmap().converted(to: .rgba16, alpha: .straight).mutableCopy()
        for y in 0..<64 {
            var rows = pixels.mutableRows
            var row = rows.row(y, as: RGBA16.self)
            let alpha = mask.rows.row(y, as: RGBA8.self)
            for x in row.indices {
                row[x] = RGBA16(row[x].red, row[x].green, row[x].blue, UInt16(alpha[x].alpha) * 257)
            }
        }
        let file = try GainMapFixture.file(Image(pixels.freeze()).withGainMap(image.gainMap), as: format)
        let decoded = try ImageSource.decode(file, options: Self.options(16))
        #expect(decoded.error == nil && decoded.header.hasAlpha && decoded.bitmap.alpha == .straight)
        #expect(try decoded.bitmap.tightBytes() == Self.alternate(file).tightBytes())
    }

    @Test("Without a usable map the base is tone-mapped", arguments: formats)
    func damagedMap(format: ImageFormat) throws {
        let (_, image) = try GainMapFixture.highBase()
        let metadata = try #require(image.gainMap).metadata.iso21496
        let plain = try ImageSource.decode(GainMapFixture.file(image.withGainMap(nil), as: format)).bitmap
        var file = try Self.file(format)
        // The first denominator.
        let place = try GainMapFixture.offset(of: metadata, in: file)
        file.replaceSubrange((place + 9)..<(place + 13), with: [0, 0, 0, 0])
        let decoded = try ImageSource.decode(file)
        #expect(decoded.error == nil)
        // JPEG XL's base has been decoded with all of its bits by then; the other file's has eight.
        let noise = decoded.bitmap.noise(against: plain)
        #expect(noise ?? 100 > 40, "\(noise ?? 100) dB")
    }

    @Test("A file that ends early has an error, and nothing worse", arguments: formats)
    func truncated(format: ImageFormat) throws {
        let file = try Self.file(format)
        for count in stride(from: 0, to: file.count, by: 97) {
            let part = Array(file.prefix(count))
            let arriving = ImageSource()
            _ = try? arriving.append(part)
            _ = try? arriving.finish()
            let bitmap = try arriving.currentBitmap()
            #expect(bitmap == nil || bitmap?.size == PixelSize(width: 96, height: 64), "\(count) bytes")
            guard let decoded = try? ImageSource.decode(part) else { continue }
            #expect(decoded.bitmap.profile == .sRGB, "\(count) bytes")
        }
    }

    @Test("Every byte of the map may be anything", arguments: formats)
    func damaged(format: ImageFormat) throws {
        let file = try Self.file(format)
        let map = try #require(GainMapFixture.highBase().image.gainMap)
        let start = try GainMapFixture.offset(of: map.metadata.iso21496, in: file)
        var random = SeededGenerator(2)
        for _ in 0..<150 {
            var damaged = file
            for _ in 0..<3 {
                damaged[Int.random(in: (start - 8)..<file.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let decoded = try? ImageSource.decode(damaged) else { continue }
            #expect(decoded.bitmap.size == decoded.header.size && decoded.bitmap.profile == .sRGB)
        }
    }

    @Test("A map larger than the limit for memory leaves tone mapping", arguments: formats)
    func limits(format: ImageFormat) throws {
        let (standard, image) = try GainMapFixture.highBase()
        var map = try #require(image.gainMap)
        map.image = Image(try map.image.bitmap().resampled(to: PixelSize(width: 640, height: 512)))
        let file = try GainMapFixture.file(image.withGainMap(map), as: format)
        var options = Self.options(8)
        let mapped = try ImageSource.decode(file, options: options).bitmap
        options.limits.maximumWorkingByteCount = 1 << 20
        let decoded = try ImageSource.decode(file, options: options)
        #expect(decoded.error == nil)
        let noise = try #require(mapped.noise(against: standard))
        #expect(try #require(decoded.bitmap.noise(against: standard)) < noise - 3)
    }
}
#endif
