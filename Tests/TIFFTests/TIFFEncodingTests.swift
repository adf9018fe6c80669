#if TIFF
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("TIFF: encoding")
struct TIFFEncodingTests {
    typealias Fixture = TIFFFixture
    typealias TIFF = EncodingOptions.TIFF

    /// A picture whose samples all differ from their neighbours', alpha included.
    static func picture(
        _ format: PixelFormat, _ alpha: AlphaMode, width: Int = 53, height: Int = 37, profile: ColorProfile = .sRGB
    ) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: format, alpha: alpha, profile: profile))
        var random = SeededGenerator(7)
        bitmap.withMutableRows(0..<height) { rows in
            for y in 0..<height {
                for x in 0..<width {
                    let words = (0..<4).map { _ in UInt16.random(in: 0...65535, using: &random) }
                    let opaque = alpha == .none
                    switch format {
                    case .gray8:
                        var row = rows.row(y, as: Gray8.self)
                        row[x] = Gray8(UInt8(words[0] >> 8))
                    case .gray16:
                        var row = rows.row(y, as: Gray16.self)
                        row[x] = Gray16(words[0])
                    case .rgba8:
                        var row = rows.row(y, as: RGBA8.self)
                        let bytes = words.map { UInt8($0 >> 8) }
                        row[x] = RGBA8(bytes[0], bytes[1], bytes[2], opaque ? 255 : bytes[3])
                    case .rgba16:
                        var row = rows.row(y, as: RGBA16.self)
                        row[x] = RGBA16(words[0], words[1], words[2], opaque ? 65535 : words[3])
                    }
                }
            }
        }
        return bitmap.freeze()
    }

    static func encode(_ bitmap: Bitmap, _ options: EncodingOptions = EncodingOptions()) throws -> [UInt8] {
        try ImageDestination(format: .tiff, options: options, registry: Fixture.registry).encode(bitmap)
    }

    static let kinds: [(PixelFormat, AlphaMode)] = [
        (.gray8, .none), (.gray16, .none), (.rgba8, .none), (.rgba8, .straight), (.rgba16, .none), (.rgba16, .straight),
    ]
    static let layouts: [TIFF] = [TIFF.Compression.none, .lzw, .deflate].flatMap {
        [TIFF(compression: $0), TIFF(compression: $0, tileSize: PixelSize(width: 16, height: 32))]
    }

    @Test("Every pixel is read back, however the rows arrive", arguments: kinds, layouts)
    func roundTrip(kind: (PixelFormat, AlphaMode), layout: TIFF) throws {
        let bitmap = try Self.picture(kind.0, kind.1)
        let options = EncodingOptions(tiff: layout)
        let file = try Self.encode(bitmap, options)
        let decoded = try Fixture.bitmap(file)
        #expect(decoded.info == bitmap.info)
        #expect(decoded.tightBytes() == bitmap.tightBytes())
        let buffer = ByteBuffer()
        let encoder = try TIFFCodec().makeEncoder(bitmap.info, options: options, output: buffer)
        for y in stride(from: 0, to: bitmap.height, by: 5) {
            try encoder.write(bitmap.rows.extracting(y..<min(y + 5, bitmap.height)))
        }
        try encoder.finish()
        #expect(buffer.bytes == file)
    }

    @Test("Images of many strips are read back")
    func strips() throws {
        for layout in [TIFF(compression: .deflate), TIFF(tileSize: PixelSize(width: 256, height: 256))] {
            let bitmap = try Self.picture(.rgba8, .none, width: 400, height: 330)
            #expect(
                try Fixture.bitmap(try Self.encode(bitmap, EncodingOptions(tiff: layout))).tightBytes()
                    == bitmap.tightBytes())
        }
    }

    @Test("JPEG compression keeps the image's look", arguments: [nil, PixelSize(width: 64, height: 48)])
    func jpeg(tileSize: PixelSize?) throws {
        for subsampling in EncodingOptions.JPEG.Subsampling.allCases {
            for format in [PixelFormat.gray8, .rgba8] {
                var bitmap = try MutableBitmap(
                    BitmapInfo(size: PixelSize(width: 117, height: 250), format: format, alpha: .none))
                bitmap.withMutableRows(0..<250) { rows in
                    for y in 0..<250 {
                        for x in 0..<117 {
                            if format == .gray8 {
                                var row = rows.row(y, as: Gray8.self)
                                row[x] = Gray8(UInt8(x + y / 2))
                            } else {
                                var row = rows.row(y, as: RGBA8.self)
                                row[x] = RGBA8(UInt8(x * 2), UInt8(y), UInt8(255 - x - y / 2))
                            }
                        }
                    }
                }
                let original = bitmap.freeze()
                var options = EncodingOptions(quality: 0.95, tiff: TIFF(compression: .jpeg, tileSize: tileSize))
                options.jpeg.subsampling = subsampling
                let decoded = try Fixture.bitmap(try Self.encode(original, options))
                #expect(decoded.info == original.info)
                let differences = zip(decoded.tightBytes(), original.tightBytes()).map { abs(Int($0) - Int($1)) }
                #expect(differences.max()! <= 12, "\(subsampling) \(format)")
            }
        }
    }

    @Test("JPEG compression takes 8 bits without alpha, and the others every format")
    func encodableInfo() {
        let size = PixelSize(width: 3, height: 3)
        let deep = BitmapInfo(size: size, format: .rgba16, alpha: .premultiplied, profile: .calibrated(gamma: 1, nil))
        let lzw = TIFFCodec().encodableInfo(for: deep, options: EncodingOptions())
        #expect(lzw == BitmapInfo(size: size, format: .rgba16, alpha: .straight))
        let jpeg = TIFFCodec().encodableInfo(for: deep, options: EncodingOptions(tiff: TIFF(compression: .jpeg)))
        #expect(jpeg == BitmapInfo(size: size, format: .rgba8, alpha: .none))
    }

    @Test("Metadata and profiles are read back", arguments: [EncodingOptions.TIFF.Compression.lzw, .jpeg])
    func metadata(compression: TIFF.Compression) throws {
        let exif = Fixture.Page([0x829A: (5, [1, 250]), 0x8827: (3, [400]), 0x9000: (7, [0x30, 0x32, 0x33, 0x32])])
        var main = Fixture.Page([
            271: (2, Array("Maker\0".utf8).map(UInt64.init)), 306: (2, Array("2026\0".utf8).map(UInt64.init)),
        ])
        main.children = [34665: [exif], 34853: [Fixture.Page([0: (1, [2, 3, 0, 0])])]]
        for isLittleEndian in [true, false] {
            let block = TIFFFixture(isLittleEndian: isLittleEndian).file(main)
            let metadata = ImageMetadata(
                orientation: .right, exif: block, xmp: Array("<x:xmpmeta/>".utf8),
                resolution: ImageMetadata.Resolution(horizontal: 300, vertical: 150))
            let profile = ColorProfile.icc(TestProfiles.wideRGB)
            let bitmap = try Self.picture(.rgba8, .none, profile: profile)
            let options = EncodingOptions(metadata: metadata, tiff: TIFF(compression: compression))
            let file = try Self.encode(bitmap, options)
            let header = try Fixture.decode(file).header
            #expect(header.profile == profile)
            #expect(header.metadata.orientation == .right)
            #expect(header.metadata.xmp == metadata.xmp)
            #expect(header.metadata.resolution == metadata.resolution)
            let values = EXIFDump(try #require(header.metadata.exif)).values
            let little = TIFFFixture()
            #expect(values[271] == Array("Maker\0".utf8) && values[306] == Array("2026\0".utf8))
            #expect(values[0x829A] == little.number(1, 4) + little.number(250, 4))
            #expect(values[0x8827] == little.number(400, 2))
            #expect(values[0x9000] == [0x30, 0x32, 0x33, 0x32])
            #expect(values[0] == [2, 3, 0, 0])
            #expect(values[274] == little.number(UInt64(Orientation.right.rawValue), 2))
        }
    }

    @Test("Pages of any size and format are read back")
    func pages() throws {
        let pictures = try [
            Self.picture(.rgba8, .straight, width: 20, height: 30), Self.picture(.gray16, .none, width: 7, height: 9),
            Self.picture(.rgba8, .none, width: 300, height: 200),
        ]
        let buffer = ByteBuffer()
        let sink = try TIFFCodec().makeSequenceEncoder(
            pictures[0].info, count: 3, options: EncodingOptions(), output: buffer)
        for picture in pictures { try sink.write(picture, duration: 0) }
        #expect(errorCode { try sink.write(pictures[0], duration: 0) } == .invalidParameter)
        try sink.finish()
        for (index, picture) in pictures.enumerated() {
            let decoded = try Fixture.decode(buffer.bytes, page: index)
            #expect(decoded.header.sequence == ImageSequence(.pages, count: 3))
            #expect(decoded.bitmap.info == picture.info && decoded.bitmap.tightBytes() == picture.tightBytes())
        }
    }

    @Test("Incomplete and unwritable images are refused")
    func refusals() throws {
        let bitmap = try Self.picture(.rgba8, .straight)
        let codec = TIFFCodec()
        func encoder(_ tiff: TIFF, _ info: BitmapInfo) throws -> any RowSink {
            try codec.makeEncoder(info, options: EncodingOptions(tiff: tiff), output: ByteBuffer())
        }
        #expect(errorCode { try encoder(TIFF(compression: .jpeg), bitmap.info) } == .invalidParameter)
        for size in [
            PixelSize(width: 15, height: 16), PixelSize(width: 0, height: 16), PixelSize(width: 1 << 20, height: 16),
            PixelSize(width: 1 << 14, height: 1 << 13),
        ] {
            #expect(errorCode { try EncodingOptions(tiff: TIFF(tileSize: size)).validate() } == .invalidParameter)
            #expect(errorCode { try encoder(TIFF(tileSize: size), bitmap.info) } == .invalidParameter)
        }
        let short = try encoder(TIFF(), bitmap.info)
        try short.write(bitmap.rows.extracting(0..<5))
        #expect(errorCode { try short.finish() } == .invalidParameter)
        let long = try encoder(TIFF(), bitmap.info)
        try long.write(bitmap.rows)
        #expect(errorCode { try long.write(bitmap.rows.extracting(0..<1)) } == .invalidParameter)
        let sink = try codec.makeSequenceEncoder(
            bitmap.info, count: 2, options: EncodingOptions(), output: ByteBuffer())
        try sink.write(bitmap, duration: 0)
        #expect(errorCode { try sink.finish() } == .invalidParameter)
        for count in [0, 65536] {
            #expect(
                errorCode {
                    try codec.makeSequenceEncoder(
                        bitmap.info, count: count, options: EncodingOptions(), output: ByteBuffer())
                } == .invalidParameter)
        }
    }

    // MARK: Other programs

    @Test("Pillow reads written files", .needsPillow)
    func pillow() throws {
        for (format, alpha, mode) in [
            (.gray8, .none, "L"), (.gray16, .none, "I;16"), (.rgba8, .none, "RGB"), (.rgba8, .straight, "RGBA"),
        ] as [(PixelFormat, AlphaMode, String)] {
            let bitmap = try Self.picture(format, alpha)
            for layout in Self.layouts {
                let file = try Self.encode(bitmap, EncodingOptions(tiff: layout))
                let seen = try #require(try Pillow.page(of: file, as: nil))
                #expect(seen.mode == mode && seen.size == bitmap.size)
                #expect(seen.samples == (mode == "RGB" ? bitmap.pnmSamples : bitmap.tightBytes()))
            }
        }
    }

    @Test("Pillow finds the metadata", .needsPillow)
    func pillowMetadata() throws {
        var main = Fixture.Page([271: (2, Array("Maker\0".utf8).map(UInt64.init))])
        main.children = [34665: [Fixture.Page([0x829A: (5, [1, 250]), 0x8827: (3, [400])])]]
        let metadata = ImageMetadata(
            orientation: .left, exif: TIFFFixture(isLittleEndian: false).file(main),
            xmp: Array("<x:xmpmeta/>".utf8), resolution: ImageMetadata.Resolution(horizontal: 300, vertical: 150))
        let profile = TestProfiles.wideRGB
        let file = try Self.encode(
            try Self.picture(.rgba8, .none, profile: .icc(profile)), EncodingOptions(metadata: metadata))
        let folder = try TemporaryFolder()
        let program = """
            import sys, PIL.Image
            image = PIL.Image.open(sys.argv[1])
            exif = image.getexif().get_ifd(34665)
            print(image.tag_v2[274], image.tag_v2[271], exif[0x8827], float(exif[0x829A]), *map(float, image.info["dpi"]))
            print(len(image.info["icc_profile"]), bytes(image.tag_v2[700]).decode())
            """
        let path = try folder.write(file, to: "picture.tiff")
        let output = try #require(try CommandLineTool.python.output(["-c", program, path]))
        #expect(
            String(decoding: output, as: UTF8.self)
                == "8 Maker 400 0.004 300.0 150.0\n\(profile.count) <x:xmpmeta/>\n")
    }

    @Test("libvips reads written files", .needs(Vips.tool), arguments: kinds)
    func vips(kind: (PixelFormat, AlphaMode)) throws {
        let folder = try TemporaryFolder()
        let bitmap = try Self.picture(kind.0, kind.1)
        for layout in Self.layouts {
            let path = try folder.write(try Self.encode(bitmap, EncodingOptions(tiff: layout)), to: "picture.tiff")
            #expect(try Vips.decode(path)?.rgba16 == bitmap.samples16)
        }
    }
}
#endif
