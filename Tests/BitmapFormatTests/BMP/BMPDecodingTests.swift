import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files made field by field, and the pixels that the format's definitions give them.
@Suite("BMP decoding")
struct BMPDecodingTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var fixture: BMPFixture
    }

    static let cases: [Case] = {
        var cases: [Case] = []
        for bits in [1, 2, 4, 8] {
            cases.append(Case(testDescription: "\(bits) bits", fixture: .indexed(bits)))
            var topDown = BMPFixture.indexed(bits)
            topDown.isTopDown = true
            cases.append(Case(testDescription: "\(bits) bits, top-down", fixture: topDown))
            cases.append(
                Case(testDescription: "\(bits) bits, OS/2 core", fixture: .indexed(bits, headerByteCount: 12)))
            cases.append(
                Case(testDescription: "\(bits) bits, OS/2 64", fixture: .indexed(bits, headerByteCount: 64)))
        }
        var short = BMPFixture.indexed(8)
        short.palette = Array(short.palette.prefix(100))
        cases.append(Case(testDescription: "100 of 256 colours", fixture: short))
        var unsaid = BMPFixture.indexed(4)
        unsaid.colorsUsed = 0
        cases.append(Case(testDescription: "number of colours left out", fixture: unsaid))
        unsaid.pixelOffset = 0
        cases.append(Case(testDescription: "offset of the pixels left out", fixture: unsaid))
        for bits in [1, 4, 8] {
            var early = BMPFixture.indexed(bits)
            early.pixelOffset = 54
            cases.append(Case(testDescription: "\(bits) bits, offset of the colours", fixture: early))
        }
        var brief = BMPFixture.indexed(8, headerByteCount: 16)
        brief.colorsUsed = 0
        cases.append(Case(testDescription: "OS/2 header of 16 bytes", fixture: brief))
        for bits in [16, 24, 32] {
            cases.append(Case(testDescription: "\(bits) bits", fixture: .direct(bits)))
            var topDown = BMPFixture.direct(bits)
            topDown.isTopDown = true
            cases.append(Case(testDescription: "\(bits) bits, top-down", fixture: topDown))
        }
        for headerByteCount in [52, 56, 108, 124] {
            cases.append(
                Case(
                    testDescription: "24 bits, header of \(headerByteCount)",
                    fixture: .direct(24, headerByteCount: headerByteCount)))
        }
        let masks: [(String, Int, [UInt32])] = [
            ("565", 16, [0xF800, 0x7E0, 0x1F]), ("444", 16, [0xF00, 0xF0, 0xF]), ("332", 16, [0xE0, 0x1C, 3]),
            ("no blue", 16, [0xFF00, 0xFF, 0]), ("BGR", 32, [0xFF, 0xFF00, 0xFF0000]),
            ("10 bits", 32, [0x3FF0_0000, 0xFFC00, 0x3FF]), ("11, 12 and 9", 32, [0xFFE0_0000, 0x1FFE00, 0x1FF]),
            ("1 bit", 32, [1, 2, 4]), ("32 bits of red", 32, [0xFFFF_FFFF, 0, 0]),
        ]
        for (name, bits, masks) in masks {
            cases.append(Case(testDescription: name, fixture: .direct(bits, compression: 3, masks: masks)))
            cases.append(
                Case(
                    testDescription: name + ", version 3",
                    fixture: .direct(bits, compression: 3, masks: masks, headerByteCount: 52)))
        }
        let alpha: [(String, Int, [UInt32])] = [
            ("4444", 16, [0xF00, 0xF0, 0xF, 0xF000]), ("1555", 16, [0x7C00, 0x3E0, 0x1F, 0x8000]),
            ("8888", 32, [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000]),
            ("alpha first", 32, [0xFF00, 0xFF0000, 0xFF00_0000, 0xFF]),
            ("2 bits of alpha", 32, [0x3FF0_0000, 0xFFC00, 0x3FF, 0xC000_0000]),
        ]
        for (name, bits, masks) in alpha {
            cases.append(Case(testDescription: name, fixture: .direct(bits, compression: 6, masks: masks)))
            for headerByteCount in [56, 108, 124] {
                cases.append(
                    Case(
                        testDescription: name + ", header of \(headerByteCount)",
                        fixture: .direct(bits, compression: 3, masks: masks, headerByteCount: headerByteCount)))
            }
        }
        return cases
    }()

    @Test("Pixels follow the definition for any split", arguments: cases)
    func pixels(of testCase: Case) throws {
        let fixture = testCase.fixture
        let whole = DecoderSession(BMPCodec(), fixture.file)
        #expect(whole.error == nil && whole.isComplete)
        #expect(whole.bitmap?.pixels == fixture.expected)
        #expect(whole.header?.storedSize == PixelSize(width: fixture.width, height: fixture.height))
        #expect(whole.header?.hasAlpha == (fixture.masks.count == 4))
        for round in 0..<3 {
            let splits = DecoderSession.splits(of: fixture.file.count, round: round)
            let session = DecoderSession(BMPCodec(), fixture.file, splits: splits)
            #expect(session.bitmap?.pixels == fixture.expected)
            #expect(session.header == whole.header)
        }
        let plan = DecodingPlan(region: PixelRect(x: 3, y: 1, width: 9, height: 2))
        let part = DecoderSession(BMPCodec(), fixture.file, plan: plan)
        #expect(part.error == nil)
        let wanted = (1..<3).flatMap { y in (3..<12).map { fixture.expected[y * fixture.width + $0] } }
        #expect(part.bitmap?.pixels == wanted)
    }

    @Test("Bytes from blue to red give their pixels in rows of every width, with the last row at the end of the file")
    func widths() {
        let masks: [UInt32] = [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000]
        let fixtures: [BMPFixture] = [.direct(24), .direct(32), .direct(32, compression: 6, masks: masks)]
        for var fixture in fixtures {
            for width in 1...20 {
                fixture.width = width
                fixture.pixels = BMPFixture.noise(width * fixture.height, below: 1 << UInt64(fixture.bitsPerPixel))
                let session = DecoderSession(BMPCodec(), fixture.file)
                #expect(session.error == nil)
                #expect(session.bitmap?.pixels == fixture.expected, "\(fixture.bitsPerPixel) bits, \(width) pixels")
                for x in 0..<width {
                    let plan = DecodingPlan(region: PixelRect(x: x, y: 4, width: width - x, height: 1))
                    let part = DecoderSession(BMPCodec(), fixture.file, plan: plan)
                    #expect(part.bitmap?.pixels == Array(fixture.expected[(4 * width + x)...]))
                }
            }
        }
    }

    @Test("Rows stored from the top come with their bytes")
    func streaming() {
        var fixture = BMPFixture.direct(24)
        fixture.isTopDown = true
        let splits = Array(stride(from: 1, to: fixture.file.count, by: 1))
        let session = DecoderSession(BMPCodec(), fixture.file, splits: splits)
        #expect(session.firstRowByteCount == 54 + 63)
        #expect(session.bitmap?.pixels == fixture.expected)
    }

    @Test("Channels of more than 8 bits keep them on request")
    func deep() throws {
        let fixture = BMPFixture.direct(32, compression: 3, masks: [0x3FF0_0000, 0xFFC00, 0x3FF])
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        let session = DecoderSession(BMPCodec(), fixture.file, options: options)
        let bitmap = try #require(session.bitmap)
        #expect(bitmap.format == .rgba16)
        #expect(session.header?.bitsPerChannel == 10)
        let expected = fixture.pixels.flatMap { (pixel: UInt32) -> [UInt16] in
            let colors = [20, 10, 0].map { (shift: UInt32) -> UInt16 in
                let value = Double(pixel >> shift & 1023)
                return UInt16((value * 65535 / 1023).rounded())
            }
            return colors + [65535]
        }
        #expect(bitmap.samples16 == expected)
    }

    @Test("An alpha channel of zeros is ignored")
    func emptyAlpha() {
        var fixture = BMPFixture.direct(32, compression: 6, masks: [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000])
        fixture.pixels = fixture.pixels.map { $0 & 0xFF_FFFF }
        for isTopDown in [false, true] {
            fixture.isTopDown = isTopDown
            let session = DecoderSession(BMPCodec(), fixture.file, splits: [100, 200, 300])
            #expect(session.bitmap?.pixels.allSatisfy { $0.alpha == 255 } == true)
        }
        fixture.pixels[0] |= 0x0100_0000
        #expect(DecoderSession(BMPCodec(), fixture.file).bitmap?.pixels.map(\.alpha).prefix(2) == [1, 0])
    }

    @Test("Resolution is in pixels per inch")
    func resolution() throws {
        var fixture = BMPFixture.direct(24)
        fixture.pixelsPerMetre = (11811, 5906)
        let resolution = try #require(DecoderSession(BMPCodec(), fixture.file).header?.metadata.resolution)
        #expect(abs(resolution.horizontal - 300) < 0.01 && abs(resolution.vertical - 150) < 0.02)
        fixture.pixelsPerMetre = (-1, 5)
        #expect(DecoderSession(BMPCodec(), fixture.file).header?.metadata.resolution == nil)
    }

    /// X, Y and Z of three primaries as 2.30, then three gammas as 16.16.
    private static func calibration(_ primaries: [[Double]], gamma: [Double]) -> [UInt8] {
        BMPFixture.little(0, 4)
            + primaries.joined().flatMap { BMPFixture.little(Int($0 * Double(1 << 30)), 4) }
            + gamma.flatMap { BMPFixture.little(Int($0 * 65536), 4) }
    }

    @Test("Calibrated colours are chromaticities or linear values that add up to white")
    func calibrated() throws {
        var fixture = BMPFixture.direct(24, headerByteCount: 108)
        fixture.colorSpace = Self.calibration(
            [[0.64, 0.33, 0.03], [0.3, 0.6, 0.1], [0.15, 0.06, 0.79]], gamma: [2, 2, 2])
        guard case .calibrated(let gamma, let points?) = DecoderSession(BMPCodec(), fixture.file).header?.profile else {
            Issue.record("no calibration")
            return
        }
        #expect(gamma == 0.5)
        #expect(abs(points.red.x - 0.64) < 1e-6 && abs(points.blue.y - 0.06) < 1e-6)
        #expect(points.white == ColorProfile.Chromaticities.Point(x: 0.3127, y: 0.3290))

        // sRGB's primaries in XYZ (IEC 61966-2-1), whose sum is D65.
        fixture.colorSpace = Self.calibration(
            [[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]], gamma: [2, 2, 2])
        guard case .calibrated(_, let sums?) = DecoderSession(BMPCodec(), fixture.file).header?.profile else {
            Issue.record("no calibration")
            return
        }
        #expect(abs(sums.white.x - 0.3127) < 1e-3 && abs(sums.white.y - 0.3290) < 1e-3)
        #expect(abs(sums.green.x - 0.3) < 1e-3 && abs(sums.green.y - 0.6) < 1e-3)

        for gamma in [[0.0, 0, 0], [2, 2.1, 2]] {
            fixture.colorSpace = Self.calibration(
                [[0.64, 0.33, 0.03], [0.3, 0.6, 0.1], [0.15, 0.06, 0.79]], gamma: gamma)
            #expect(DecoderSession(BMPCodec(), fixture.file).header?.profile == .sRGB)
        }
        fixture.colorSpace = Array("BGRs".utf8)
        #expect(DecoderSession(BMPCodec(), fixture.file).header?.profile == .sRGB)
    }

    @Test("An embedded profile is found anywhere, and a linked one ignored", arguments: [0, 3000])
    func embeddedProfile(gap: Int) throws {
        var profile = [UInt8](repeating: 7, count: 500)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        var fixture = BMPFixture.direct(24, headerByteCount: 124)
        fixture.isTopDown = true
        let offset = 124 + fixture.packed.count + gap
        func space(_ name: String) -> [UInt8] {
            Array(name.utf8) + [UInt8](repeating: 0, count: 52) + BMPFixture.little(offset, 4)
                + BMPFixture.little(profile.count, 4) + BMPFixture.little(0, 4)
        }
        fixture.tail = [UInt8](repeating: 1, count: gap) + profile
        fixture.colorSpace = space("DEBM")
        for round in 0..<3 {
            let session = DecoderSession(
                BMPCodec(), fixture.file, splits: DecoderSession.splits(of: fixture.file.count, round: round))
            #expect(session.header?.profile == .icc(profile))
            #expect(session.bitmap?.pixels == fixture.expected)
        }
        fixture.colorSpace = space("KNIL")
        #expect(DecoderSession(BMPCodec(), fixture.file).header?.profile == .sRGB)
        fixture.colorSpace = space("DEBM")
        fixture.tail.removeLast()
        let cut = DecoderSession(BMPCodec(), fixture.file)
        #expect(cut.header?.profile == .sRGB)
        #expect(cut.bitmap?.pixels == fixture.expected)
    }

    @Test("An embedded file is decoded by its own codec", arguments: [4, 5])
    func embedded(compression: Int) throws {
        let picture = try Bitmap.grainy(PixelSize(width: 40, height: 30))
        let destination = try ImageDestination(format: compression == 4 ? .jpeg : .png)
        let inner = try destination.encode(picture)
        var fixture = BMPFixture(width: 40, height: 30, headerByteCount: 124, bitsPerPixel: 0, compression: compression)
        fixture.data = inner
        fixture.tail = [1, 2, 3]
        let expected = try ImageSource.decode(inner).bitmap
        for round in 0..<3 {
            let splits = DecoderSession.splits(of: fixture.file.count, round: round)
            let session = DecoderSession(BMPCodec(), fixture.file, splits: splits)
            #expect(session.error == nil && session.isComplete)
            #expect(session.header?.format == .bmp)
            #expect(session.bitmap?.tightBytes() == expected.tightBytes())
        }
        fixture.data = Array(inner.prefix(inner.count / 2))
        fixture.tail = []
        #expect(DecoderSession(BMPCodec(), fixture.file).error?.code == .truncated)
        fixture.data = [UInt8](repeating: 3, count: 200)
        #expect(DecoderSession(BMPCodec(), fixture.file).error != nil)
    }

    @Test("Files are identified by their first bytes")
    func identification() throws {
        let file = BMPFixture.direct(24).file
        for count in 0..<18 {
            let prefix = Array(file.prefix(count))
            #expect(
                BMPCodec().identify(FormatProbe(streamPrefix: prefix.span.bytes)) == .needMoreData(minimum: 18))
            #expect(BMPCodec().identify(FormatProbe(whole: prefix.span.bytes)) != .match(.bmp))
        }
        let prefix = Array(file.prefix(18))
        #expect(BMPCodec().identify(FormatProbe(streamPrefix: prefix.span.bytes)) == .match(.bmp))
        let others: [[UInt8]] = [
            Array("BM is what this text happens to begin with".utf8), Array("BA".utf8) + file.dropFirst(2),
            [0x42, 0x4E], [0x89, 0x50],
        ]
        for other in others {
            #expect(BMPCodec().identify(FormatProbe(streamPrefix: other.span.bytes)) == .unknown)
        }
        #expect(CodecRegistry.builtIn.identify(FormatProbe(whole: file.span.bytes)) == .match(.bmp))
    }
}
