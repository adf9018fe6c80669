import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("PNG metadata")
struct PNGMetadataTests {
    private static func header(_ chunks: [(String, [UInt8])], colorType: Int = 2) -> ImageHeader? {
        var fixture = PNGFixture(3, 3, colorType: colorType, bitDepth: 8)
        fixture.chunks = chunks.map { (type: $0.0, data: $0.1) }
        return DecoderSession(png: fixture.bytes).header
    }

    private static func words(_ values: [Int]) -> [UInt8] { values.flatMap { PNGFixture.number($0) } }

    private static let standard = words([31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000])
    private static let wide = words([31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000])

    /// As much of an ICC profile as a reader looks at.
    private static func profile(_ space: String, count: Int = 200) -> [UInt8] {
        var bytes = [UInt8](repeating: 7, count: count)
        bytes.replaceSubrange(0..<4, with: PNGFixture.number(count))
        bytes.replaceSubrange(16..<20, with: Array(space.utf8))
        bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
        return bytes
    }

    private static func iccChunk(_ profile: [UInt8]) -> (String, [UInt8]) {
        ("iCCP", Array("name".utf8) + [0, 0] + PNGFixture.zlib(profile))
    }

    @Test("The chunk of the highest precedence decides the colour space")
    func colorSpaces() {
        let primaries = ColorProfile.Chromaticities(
            white: .init(x: 0.3127, y: 0.329), red: .init(x: 0.68, y: 0.32), green: .init(x: 0.265, y: 0.69),
            blue: .init(x: 0.15, y: 0.06))
        let rgb = Self.profile("RGB ")
        let table: [([(String, [UInt8])], ColorProfile)] = [
            ([], .sRGB),
            ([("sRGB", [0])], .sRGB),
            ([("gAMA", Self.words([45455]))], .sRGB),
            ([("gAMA", Self.words([45455])), ("cHRM", Self.standard)], .sRGB),
            ([("gAMA", Self.words([100_000]))], .calibrated(gamma: 1, nil)),
            ([("gAMA", Self.words([100_000])), ("cHRM", Self.standard)], .calibrated(gamma: 1, nil)),
            ([("gAMA", Self.words([45455])), ("cHRM", Self.wide)], .calibrated(gamma: 0.45455, primaries)),
            ([("cHRM", Self.wide)], .calibrated(gamma: 0.45455, primaries)),
            ([("gAMA", Self.words([100_000])), ("sRGB", [0])], .sRGB),
            ([("gAMA", Self.words([100_000])), Self.iccChunk(rgb)], .icc(rgb)),
            ([Self.iccChunk(rgb), ("sRGB", [0])], .icc(rgb)),
            ([Self.iccChunk(rgb), ("cICP", [1, 13, 0, 1])], .sRGB),
            // Reserved or unspecified codes, a matrix and an unknown range leave the chunk out.
            ([Self.iccChunk(rgb), ("cICP", [3, 13, 0, 1])], .icc(rgb)),
            ([Self.iccChunk(rgb), ("cICP", [1, 2, 0, 1])], .icc(rgb)),
            ([Self.iccChunk(rgb), ("cICP", [1, 13, 1, 1])], .icc(rgb)),
            ([Self.iccChunk(rgb), ("cICP", [1, 13, 0, 2])], .icc(rgb)),
            ([Self.iccChunk(rgb), ("cICP", [1, 13, 0])], .icc(rgb)),
            ([Self.iccChunk(Self.profile("GRAY"))], .sRGB),
            ([Self.iccChunk(Array(rgb.prefix(100)))], .sRGB),
        ]
        for (chunks, expected) in table {
            #expect(Self.header(chunks)?.profile == expected, "\(chunks.map(\.0))")
        }
        let gray = Self.profile("GRAY")
        #expect(Self.header([Self.iccChunk(gray)], colorType: 0)?.profile == .icc(gray))
        #expect(Self.header([Self.iccChunk(rgb)], colorType: 0)?.profile == .sRGB)
    }

    @Test("Of several chunks of a type, the first valid one counts")
    func repeatedChunks() {
        let linear: ColorProfile = .calibrated(gamma: 1, nil)
        #expect(Self.header([("gAMA", Self.words([100_000])), ("gAMA", Self.words([50_000]))])?.profile == linear)
        #expect(Self.header([("gAMA", Self.words([0])), ("gAMA", Self.words([100_000]))])?.profile == linear)
        let wide = Self.header([("cHRM", Self.wide)])?.profile
        #expect(wide != .sRGB && Self.header([("cHRM", Self.wide), ("cHRM", Self.standard)])?.profile == wide)
        let sizes = Self.header([("pHYs", Self.words([3937, 7874]) + [1]), ("pHYs", Self.words([1, 1]) + [1])])
        #expect(abs((sizes?.metadata.resolution?.horizontal ?? 0) - 100) < 0.01)
    }

    @Test("Resolution, EXIF and XMP are read")
    func metadata() {
        let exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        let xmp = Array("<x/>".utf8)
        let header = Self.header([
            ("pHYs", Self.words([3937, 7874]) + [1]), ("eXIf", exif),
            ("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp),
        ])
        #expect(header?.metadata.exif == exif)
        #expect(header?.metadata.orientation == .right)
        #expect(header?.metadata.xmp == xmp)
        #expect(abs((header?.metadata.resolution?.horizontal ?? 0) - 100) < 0.01)
        #expect(abs((header?.metadata.resolution?.vertical ?? 0) - 200) < 0.01)
        // Without a unit the numbers say only how long pixels are against their width.
        #expect(Self.header([("pHYs", Self.words([1, 1]) + [0])])?.metadata.resolution == nil)
        #expect(Self.header([("eXIf", Array("Exif\0\0".utf8) + exif)])?.metadata.orientation == .right)
        let compressed = Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + PNGFixture.zlib(xmp)
        #expect(Self.header([("iTXt", compressed)])?.metadata.xmp == xmp)
        for count in 0..<exif.count { #expect(Self.header([("eXIf", Array(exif.prefix(count)))]) != nil) }
    }

    @Test("EXIF after the pixels is kept, and rotates nothing")
    func lateEXIF() {
        let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
        let file = PNGFixture(3, 3, colorType: 2, bitDepth: 8).bytes
        let end = file.count - 12
        let late = Array(file[..<end]) + PNGFixture.chunk("eXIf", exif) + file[end...]
        for splits in [[], [end], Array(1..<late.count)] {
            let session = DecoderSession(png: late, splits: splits)
            #expect(session.isComplete && session.header?.metadata.exif == exif)
            #expect(session.header?.metadata.orientation == .up)
        }
    }

    @Test("Metadata after the pixels is a separate event, for any split")
    func lateMetadata() throws {
        let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
        let xmp = Array("<x/>".utf8)
        let file = PNGFixture(3, 3, colorType: 2, bitDepth: 8).bytes
        let end = file.count - 12
        let late =
            Array(file[..<end]) + PNGFixture.chunk("eXIf", exif)
            + PNGFixture.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp) + file[end...]
        for step in [1, 13, 40] {
            let source = ImageSource()
            var events: [DecodingEvent] = []
            for start in stride(from: 0, to: late.count, by: step) {
                events += try source.append(Array(late[start..<min(late.count, start + step)]))
            }
            events += try source.finish()
            let headers = events.compactMap { (event) -> ImageHeader? in
                if case .header(let header) = event { header } else { nil }
            }
            let metadata = events.compactMap { (event) -> ImageMetadata? in
                if case .metadata(let metadata) = event { metadata } else { nil }
            }
            #expect(headers.count == 1 && headers[0].metadata == ImageMetadata())
            // One block may end a piece before the other.
            #expect((1...2).contains(metadata.count) && metadata.first?.exif == exif)
            #expect(metadata.last == ImageMetadata(exif: exif, xmp: xmp))
            #expect(events.last == .complete && source.header?.metadata == metadata.last)
        }
        // All at once it is part of the header.
        let whole = ImageSource()
        let events = try whole.append(late)
        #expect(events.first == .header(try #require(whole.header)) && whole.header?.metadata.exif == exif)
        #expect(!events.contains(.metadata(ImageMetadata(exif: exif, xmp: xmp))))
    }

    @Test("Written metadata is read back")
    func roundTrip() throws {
        let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
        let profiles: [(ColorProfile, PixelFormat)] = [
            (.sRGB, .rgba8), (.icc(Self.profile("RGB ")), .rgba8), (.icc(Self.profile("GRAY")), .gray8),
            (.calibrated(gamma: 1, nil), .rgba16),
        ]
        for (profile, format) in profiles {
            let info = BitmapInfo(
                size: PixelSize(width: 20, height: 20), format: format, alpha: .straight, profile: profile)
            for reduces in [false, true] {
                let options = EncodingOptions(
                    metadata: ImageMetadata(
                        orientation: .right, exif: exif, xmp: Array("<y/>".utf8),
                        resolution: .init(horizontal: 300, vertical: 72)),
                    png: .init(reducesColors: reduces))
                let buffer = ByteBuffer()
                try PNGCodec().encode(try MutableBitmap(info).freeze(), options: options, output: buffer)
                let header = try #require(DecoderSession(png: buffer.bytes).header)
                #expect(header.profile == profile)
                #expect(header.metadata.exif == exif)
                #expect(header.metadata.orientation == .right)
                #expect(header.metadata.xmp == options.metadata.xmp)
                #expect(abs((header.metadata.resolution?.horizontal ?? 0) - 300) < 0.02)
                #expect(LibPNG.decode(buffer.bytes) != nil)
            }
        }
    }

    @Test("The orientation replaces EXIF's, or is added", arguments: Orientation.allCases)
    func orientation(_ orientation: Orientation) throws {
        let big: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        for exif in [nil, big, [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]?] {
            let options = EncodingOptions(metadata: ImageMetadata(orientation: orientation, exif: exif))
            let buffer = ByteBuffer()
            let info = BitmapInfo(size: PixelSize(width: 2, height: 3), format: .gray8)
            try PNGCodec().encode(try MutableBitmap(info).freeze(), options: options, output: buffer)
            #expect(DecoderSession(png: buffer.bytes).header?.metadata.orientation == orientation)
        }
    }
}
