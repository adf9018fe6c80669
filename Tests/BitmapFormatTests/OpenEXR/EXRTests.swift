#if OpenEXR
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("OpenEXR", .enabled(if: EXRFixture.isReadable, "OpenEXRCore isn't installed"))
struct EXRTests {
    private static let registry = CodecRegistry([EXRCodec()])

    private static func decode(
        _ fixture: EXRFixture, _ options: DecodingOptions = HDRTests.stored
    ) throws -> DecodedImage {
        let decoded = try ImageSource.decode(fixture.file, options: options, registry: registry)
        #expect(decoded.error == nil && decoded.header.format == .exr)
        return decoded
    }

    @Test(
        "Halves and floats, in scanlines and in tiles", arguments: [EXRFixture.Kind.half, .float],
        [nil, PixelSize(width: 4, height: 2), PixelSize(width: 64, height: 64)])
    func colors(kind: EXRFixture.Kind, tile: PixelSize?) throws {
        var fixture = EXRFixture()
        fixture.kind = kind
        fixture.tile = tile
        let decoded = try Self.decode(fixture)
        #expect(decoded.header.storedSize == PixelSize(width: 5, height: 3) && !decoded.header.hasAlpha)
        HDRTests.expect(decoded.bitmap, fixture.light)
        let part = PixelRect(x: 1, y: 1, width: 3, height: 2)
        let region = try ImageSource.decode(
            fixture.file, plan: DecodingPlan(region: part), options: HDRTests.stored, registry: Self.registry)
        #expect(region.bitmap.tightBytes() == (try decoded.bitmap.cropped(to: part)).tightBytes())
    }

    @Test("Luminance alone is grey, and other channels are ignored")
    func gray() throws {
        var fixture = EXRFixture()
        fixture.names = ["Y", "Z"]
        let light = fixture.values["Y"]!.map { SIMD3(repeating: Double($0)) }
        HDRTests.expect(try Self.decode(fixture).bitmap, light)
        fixture.names = ["B", "G", "R", "Z"]
        HDRTests.expect(try Self.decode(fixture).bitmap, fixture.light)
    }

    @Test("Colours are divided by alpha")
    func alpha() throws {
        var fixture = EXRFixture()
        fixture.names = ["A", "B", "G", "R"]
        fixture.values["A"] = (0..<15).map { [1, 0.5, 0, 1, 0.25][$0 % 5] }
        let decoded = try Self.decode(fixture)
        #expect(decoded.header.hasAlpha && decoded.bitmap.info.alpha == .straight)
        let alphas = fixture.values["A"]!.map(Double.init)
        let light = zip(fixture.light, alphas).map { $1 > 0 ? $0 / $1 : .zero }
        HDRTests.expect(decoded.bitmap, light, alpha: alphas.map { UInt16(($0 * 65535).rounded()) })
    }

    @Test("The data window may be anywhere, and values that aren't numbers are black")
    func window() throws {
        var fixture = EXRFixture()
        fixture.origin = (-7, 100)
        fixture.kind = .float
        fixture.values["R"]![0] = .nan
        fixture.values["G"]![0] = -.infinity
        fixture.values["B"]![0] = -3
        let bitmap = try Self.decode(fixture).bitmap
        let row = bitmap.rows.row(0, as: RGBA16.self)
        #expect(row[0] == RGBA16(0, 0, 0, 65535))
    }

    @Test("Eight bits are sRGB, with white brighter than grey")
    func standardRange() throws {
        let bitmap = try Self.decode(EXRFixture(), DecodingOptions()).bitmap
        #expect(bitmap.format == .rgba8 && bitmap.info.profile == .sRGB)
    }

    // MARK: Damage

    @Test("Channels that make no picture are unsupported")
    func unsupported() {
        for names in [["Z"], ["R", "G"], ["BY", "RY", "Y"], ["left.R", "left.G", "left.B"]] {
            var fixture = EXRFixture()
            fixture.names = names
            #expect(DecoderSession(EXRCodec(), fixture.file).error?.code == .unsupported, "\(names)")
        }
        var dwa = EXRFixture()
        dwa.compression = 8
        #expect(DecoderSession(EXRCodec(), dwa.file).error?.code == .unsupported)
    }

    @Test("Limits are checked before memory is taken")
    func limits() {
        var fixture = EXRFixture()
        fixture.claimedSize = PixelSize(width: 1_000_000, height: 1_000_000)
        let code = DecoderSession(EXRCodec(), fixture.file).error?.code
        #expect(code == .limitExceeded || code == .truncated, "\(code as Any)")
        fixture.claimedSize = PixelSize(width: 3_000_000, height: 1)
        #expect(DecoderSession(EXRCodec(), fixture.file).error != nil)
        var limits = DecodingLimits.standard
        limits.maximumWorkingByteCount = 64
        let options = DecodingOptions(limits: limits)
        #expect(DecoderSession(EXRCodec(), EXRFixture().file, options: options).error?.code == .limitExceeded)
    }

    @Test("Every cut gives an error, after the rows before it")
    func cuts() {
        let file = EXRFixture().file
        for count in 0..<file.count {
            let session = DecoderSession(EXRCodec(), Array(file.prefix(count)), options: HDRTests.stored)
            #expect(session.error != nil, "\(count) of \(file.count) bytes")
        }
        let session = DecoderSession(EXRCodec(), file.dropLast(), options: HDRTests.stored)
        #expect(session.rows == 2 && session.error != nil)
    }

    @Test("No change of a byte is a trap", arguments: [nil, PixelSize(width: 4, height: 2)])
    func damage(tile: PixelSize?) {
        var fixture = EXRFixture()
        fixture.tile = tile
        let file = fixture.file
        for offset in file.indices {
            for value in [0, 1, 127, 255] as [UInt8] {
                var damaged = file
                damaged[offset] = value
                let session = DecoderSession(EXRCodec(), damaged)
                #expect(session.error != nil || session.bitmap != nil)
            }
        }
    }
}
#endif
