import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("PNG encoding")
struct PNGEncodingTests {
    /// How the pixels of a picture are chosen, and the smallest form that holds them.
    enum Content: String, CaseIterable {
        case anything, opaque, gray, grayAlpha, twoGrays, fourGrays, sixteenGrays, twoColors, manyColors, doubledWords
    }

    private static func bitmap(
        _ content: Content, format: PixelFormat, width: Int, height: Int, alpha: AlphaMode = .straight,
        profile: ColorProfile = .sRGB
    ) throws -> Bitmap {
        var random = SeededGenerator(UInt64(width * 31 + height))
        let largest: UInt16 = format.bitsPerChannel == 8 ? 255 : 65535
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: format, alpha: alpha, profile: profile))
        var rows = bitmap.mutableRows
        let colors = (0..<200).map { _ in (0..<4).map { _ in UInt16.random(in: 0...largest, using: &random) } }
        for y in 0..<height {
            for x in 0..<width {
                let value = UInt16.random(in: 0...largest, using: &random)
                let byte = value % 256
                let step: UInt16 = largest / 15
                var pixel: [UInt16] =
                    switch content {
                    case .anything: (0..<4).map { _ in UInt16.random(in: 0...largest, using: &random) }
                    case .opaque: (0..<3).map { _ in UInt16.random(in: 0...largest, using: &random) } + [largest]
                    case .gray: [value, value, value, largest]
                    case .grayAlpha: [value, value, value, UInt16.random(in: 0...largest, using: &random)]
                    case .twoGrays: value % 2 == 0 ? [0, 0, 0, largest] : [largest, largest, largest, largest]
                    case .fourGrays: (0..<3).map { _ in value % 4 * 5 * step } + [largest]
                    case .sixteenGrays: (0..<3).map { _ in value % 16 * step } + [largest]
                    case .twoColors: colors[Int(value % 2)]
                    case .manyColors: colors[Int(value % 200)]
                    case .doubledWords: largest == 255 ? [byte, 3, 4, 5] : [byte * 257, 257, 514, 65535]
                    }
                if !alpha.hasAlpha { pixel[3] = largest }
                switch format {
                case .gray8: set(&rows, y, x, Gray8(UInt8(pixel[0])))
                case .gray16: set(&rows, y, x, Gray16(pixel[0]))
                case .rgba8: set(&rows, y, x, RGBA8(UInt8(pixel[0]), UInt8(pixel[1]), UInt8(pixel[2]), UInt8(pixel[3])))
                case .rgba16: set(&rows, y, x, RGBA16(pixel[0], pixel[1], pixel[2], pixel[3]))
                }
            }
        }
        return bitmap.freeze()
    }

    private static func set<P: Pixel>(_ rows: inout MutablePixelRows, _ y: Int, _ x: Int, _ pixel: P) {
        var row = rows.row(y, as: P.self)
        row[x] = pixel
    }

    private static func encode(_ bitmap: Bitmap, options: EncodingOptions = EncodingOptions()) throws -> [UInt8] {
        let buffer = ByteBuffer()
        try PNGCodec().encode(bitmap, options: options, output: buffer)
        return buffer.bytes
    }

    @Test(
        "Written files are read back exactly, by libpng too", arguments: Content.allCases, PixelFormat.allCases)
    func roundTrip(content: Content, format: PixelFormat) throws {
        for (width, height) in [(1, 1), (3, 2), (17, 40), (130, 61)] {
            for level in [0, 1, 2, 3, 5, 6, 7, 9] {
                for reduces in [false, true] {
                    let bitmap = try Self.bitmap(content, format: format, width: width, height: height)
                    let options = EncodingOptions(png: .init(compressionLevel: level, reducesColors: reduces))
                    let file = try Self.encode(bitmap, options: options)
                    let oracle = try #require(LibPNG.decode(file))
                    #expect(oracle.samples == bitmap.samples16)
                    let session = DecoderSession(png: file)
                    #expect(session.isComplete && session.bitmap?.samples16 == bitmap.samples16)
                    if !reduces {
                        #expect(session.bitmap?.format == bitmap.format)
                        #expect(session.bitmap?.tightBytes() == bitmap.tightBytes())
                    }
                }
            }
        }
    }

    /// Colour type and depth in the file's header.
    @Test(
        "The smallest lossless pixel format is chosen",
        arguments: [
            (Content.anything, PixelFormat.rgba8, 6, 8), (.anything, .rgba16, 6, 16), (.anything, .gray8, 0, 8),
            (.anything, .gray16, 0, 16), (.opaque, .rgba8, 2, 8), (.opaque, .rgba16, 2, 16), (.gray, .rgba8, 0, 8),
            (.gray, .rgba16, 0, 16), (.grayAlpha, .rgba8, 4, 8), (.grayAlpha, .rgba16, 4, 16),
            (.twoGrays, .rgba8, 0, 1), (.twoGrays, .gray8, 0, 1), (.twoGrays, .rgba16, 0, 1),
            (.twoGrays, .gray16, 0, 1),
            (.fourGrays, .gray8, 0, 2), (.sixteenGrays, .rgba8, 0, 4), (.sixteenGrays, .gray16, 0, 4),
            (.twoColors, .rgba8, 3, 1), (.manyColors, .rgba8, 3, 8), (.doubledWords, .rgba16, 3, 8),
            (.doubledWords, .gray16, 0, 8),
        ])
    func forms(content: Content, format: PixelFormat, colorType: Int, bitDepth: Int) throws {
        let file = try Self.encode(try Self.bitmap(content, format: format, width: 130, height: 61))
        #expect(Int(file[25]) == colorType)
        #expect(Int(file[24]) == bitDepth)
    }

    @Test("An opaque image has no alpha in the file, whatever its fourth channel")
    func alphaNone() throws {
        let bitmap = try Self.bitmap(.anything, format: .rgba8, width: 40, height: 30, alpha: .none)
        let file = try Self.encode(bitmap)
        #expect(file[25] == 2)
        #expect(LibPNG.decode(file)?.samples == bitmap.samples16)
    }

    @Test("Strips of any height make the same file, every time")
    func strips() throws {
        // More than a batch of chunks.
        let bitmap = try Self.bitmap(.opaque, format: .rgba8, width: 1200, height: 3000, alpha: .none)
        let options = EncodingOptions(png: .init(compressionLevel: 1, reducesColors: false))
        let whole = try Self.encode(bitmap, options: options)
        #expect(try Self.encode(bitmap, options: options) == whole)
        let buffer = ByteBuffer()
        let encoder = try PNGCodec().makeEncoder(bitmap.info, options: options, output: buffer)
        var (row, height) = (0, 1)
        while row < bitmap.height {
            let end = min(bitmap.height, row + height)
            try encoder.write(bitmap.rows.extracting(row..<end))
            (row, height) = (end, height % 97 * 3 + 1)
        }
        try encoder.finish()
        #expect(buffer.bytes == whole)
        #expect(LibPNG.decode(whole)?.samples == bitmap.samples16)
    }

    @Test("Higher levels write no more bytes, and smooth images become small")
    func levels() throws {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 400, height: 300), format: .rgba8, alpha: .none))
        var rows = bitmap.mutableRows
        var random = SeededGenerator(5)
        for y in 0..<300 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<400 {
                let noise = Int.random(in: -2...2, using: &random)
                row[x] = RGBA8(UInt8(x / 2 + 20 + noise), UInt8(y / 2 + 30 + noise), UInt8((x + y) / 4 + 10 + noise))
            }
        }
        let done = bitmap.freeze()
        let sizes = try [0, 1, 5, 9].map {
            try Self.encode(done, options: EncodingOptions(png: .init(compressionLevel: $0))).count
        }
        #expect(sizes[0] > 360_000 && sizes[1] < sizes[0] / 2)
        #expect(sizes[2] < sizes[1] && sizes[3] <= sizes[2])
    }

    @Test("Unwritable images and options are refused")
    func refusals() throws {
        let size = PixelSize(width: 4, height: 4)
        let premultiplied = BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied)
        let output = ByteBuffer()
        #expect(
            errorCode { try PNGCodec().makeEncoder(premultiplied, options: EncodingOptions(), output: output) }
                == .invalidParameter)
        #expect(
            PNGCodec().encodableInfo(for: premultiplied, options: EncodingOptions()).alpha == .straight)
        let wrongLevel = EncodingOptions(png: .init(compressionLevel: 10))
        let info = BitmapInfo(size: size, format: .gray8)
        #expect(
            errorCode { try PNGCodec().makeEncoder(info, options: wrongLevel, output: output) } == .invalidParameter)
        let bitmap = try MutableBitmap(info).freeze()
        let encoder = try PNGCodec().makeEncoder(info, options: EncodingOptions(), output: output)
        #expect(errorCode { try encoder.finish() } == .invalidParameter)
        try encoder.write(bitmap.rows)
        #expect(errorCode { try encoder.write(bitmap.rows.extracting(0..<1)) } == .invalidParameter)
    }
}
