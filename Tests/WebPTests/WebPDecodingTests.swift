#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("WebP: decoding")
struct WebPDecodingTests {
    typealias Fixture = WebPFixture

    /// Lossy and lossless, opaque and not, of even and odd sides.
    static let pictures: [(Bool, AlphaMode, Int, Int)] = [
        (false, .none, 64, 48), (false, .none, 75, 101), (false, .straight, 61, 97), (true, .none, 64, 48),
        (true, .straight, 75, 101), (false, .straight, 1, 1), (true, .straight, 1, 1), (false, .none, 300, 7),
    ]

    @Test("Pixels are dwebp's", .enabled(if: WebPTools.areInstalled), arguments: pictures)
    func pixels(lossless: Bool, alpha: AlphaMode, width: Int, height: Int) throws {
        let sample = try Fixture.sample(width, height, alpha: alpha)
        let file = try Fixture.encode(sample, EncodingOptions(isLossless: lossless))
        let session = DecoderSession(webP: file)
        #expect(session.error == nil && session.isComplete)
        #expect(session.bitmap?.alpha == alpha)
        #expect(try session.bitmap?.tightBytes() == WebPTools.decode(file)?.rgba)
        if lossless { #expect(session.bitmap?.tightBytes() == sample.tightBytes()) }
    }

    @Test("Every split gives the same pixels, and the same rows after the same bytes", arguments: pictures)
    func splits(lossless: Bool, alpha: AlphaMode, width: Int, height: Int) throws {
        let sample = try Fixture.sample(width, height, alpha: alpha)
        let file = try Fixture.encode(sample, EncodingOptions(quality: 0.5, isLossless: lossless))
        let whole = DecoderSession(webP: file)
        let single = DecoderSession(webP: file, splits: Array(1..<file.count))
        #expect(single.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
        #expect(single.header == whole.header && single.isComplete)
        var random = SeededGenerator(UInt64(file.count))
        for _ in 0..<4 {
            let splits = DecoderSession.splits(of: file.count, upTo: 400, using: &random)
            let session = DecoderSession(webP: file, splits: splits, rowCount: 3)
            #expect(session.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
            #expect(session.header == whole.header)
            for (index, end) in splits.enumerated() { #expect(session.progress[index] == single.progress[end - 1]) }
        }
    }

    @Test("Rows come with their bytes", arguments: [true, false])
    func incremental(lossless: Bool) throws {
        let file = try Fixture.encode(Fixture.sample(400, 600), EncodingOptions(isLossless: lossless))
        let session = DecoderSession(webP: file, splits: Array(stride(from: 1000, to: file.count, by: 1000)))
        let half = session.progress[session.progress.count / 2]
        #expect(half > 60 && half < 590)
        #expect(zip(session.progress, session.progress.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("The header is known from the first bytes", arguments: pictures)
    func header(lossless: Bool, alpha: AlphaMode, width: Int, height: Int) throws {
        let sample = try Fixture.sample(width, height, alpha: alpha)
        let file = try Fixture.encode(sample, EncodingOptions(isLossless: lossless))
        let decoder = try WebPCodec().makeDecoder(
            for: FormatProbe(streamPrefix: file.span.bytes), options: DecodingOptions())
        try decoder.append(file.span.bytes.extracting(0..<min(40, file.count)))
        let header = try #require(decoder.header)
        #expect(header.storedSize == sample.size && header.hasAlpha == alpha.hasAlpha && header.format == .webP)
        #expect(header.sequence == nil && header.profile == .sRGB && !header.isProgressive)
    }

    @Test("A region is cropped from the same pixels", arguments: pictures)
    func regions(lossless: Bool, alpha: AlphaMode, width: Int, height: Int) throws {
        let sample = try Fixture.sample(width, height, alpha: alpha)
        let file = try Fixture.encode(sample, EncodingOptions(quality: 0.3, isLossless: lossless))
        let whole = try #require(DecoderSession(webP: file).bitmap)
        var random = SeededGenerator(7)
        for _ in 0..<20 {
            let (x, y) = (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
            let region = PixelRect(
                x: x, y: y, width: Int.random(in: 1...(width - x), using: &random),
                height: Int.random(in: 1...(height - y), using: &random))
            let session = DecoderSession(
                webP: file, splits: [file.count / 2], plan: DecodingPlan(region: region), rowCount: 5)
            #expect(session.isComplete && session.error == nil)
            #expect(try session.bitmap?.tightBytes() == whole.cropped(to: region).tightBytes())
        }
    }

    @Test("Opaque files have no alpha, whatever their pixels have")
    func unannouncedAlpha() throws {
        var picture = try Fixture.picture(Fixture.plain(4, 4, RGBA8(10, 20, 30, 40)))
        #expect(DecoderSession(webP: Fixture.file(picture)).bitmap?.pixels.first == RGBA8(10, 20, 30, 40))
        // The bit of a VP8L header that announces alpha.
        picture[12] &= ~0x10
        let session = DecoderSession(webP: Fixture.file(picture))
        #expect(session.header?.hasAlpha == false)
        #expect(session.bitmap?.pixels.allSatisfy { $0 == RGBA8(10, 20, 30) } == true)
    }

    @Test("The working memory's limit is observed")
    func workingMemory() throws {
        let file = try Fixture.encode(Fixture.plain(1000, 1000, RGBA8(1, 2, 3)), EncodingOptions(isLossless: true))
        var limits = DecodingLimits.standard
        limits.maximumWorkingByteCount = 7_999_999
        #expect(DecoderSession(webP: file, limits: limits).error?.code == .limitExceeded)
        limits.maximumWorkingByteCount = 8_000_000
        #expect(DecoderSession(webP: file, limits: limits).isComplete)
    }
}
#endif
