#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("WebP: damage")
struct WebPDamageTests {
    typealias Fixture = WebPFixture

    @Test("A file truncated anywhere keeps its rows", arguments: [true, false], [AlphaMode.none, .straight])
    func truncated(lossless: Bool, alpha: AlphaMode) throws {
        let sample = try Fixture.sample(60, 90, alpha: alpha)
        let file = try Fixture.encode(sample, EncodingOptions(isLossless: lossless))
        let whole = try #require(DecoderSession(webP: file).bitmap)
        var most = 0
        for count in stride(from: 0, to: file.count - 1, by: 13) {
            let session = DecoderSession(webP: Array(file.prefix(count)))
            #expect(session.error?.code == .truncated && !session.isComplete)
            #expect(session.rows >= most)
            most = session.rows
            guard let bitmap = session.bitmap else { continue }
            let expected = try whole.cropped(to: PixelRect(x: 0, y: 0, width: 60, height: bitmap.height))
            #expect(bitmap.tightBytes() == expected.tightBytes())
        }
        #expect(most > 45)
    }

    @Test("A last byte of padding may be missing")
    func missingPadding() throws {
        let pictures = try (1..<40).map { try Fixture.picture(Fixture.sample(5, $0)) }
        let odd = try #require(pictures.first { $0[4] % 2 == 1 })
        let file = Fixture.file(odd)
        #expect(DecoderSession(webP: file).isComplete)
        let cut = DecoderSession(webP: Array(file.dropLast()))
        #expect(cut.isComplete && cut.error == nil)
        #expect(cut.bitmap?.tightBytes() == DecoderSession(webP: file).bitmap?.tightBytes())
    }

    @Test("Invalid structures are refused")
    func structures() throws {
        let picture = try Fixture.picture(Fixture.sample(6, 4))
        let lossy = try Fixture.picture(Fixture.sample(6, 4), lossless: false)
        let empty = Fixture.file(Fixture.extended(0, 6, 4))
        func longer(_ file: [UInt8], at offset: Int, _ length: Int) -> [UInt8] {
            var file = file
            file.replaceSubrange(offset..<(offset + 4), with: Fixture.number(length, 4))
            return file
        }
        let files: [(String, [UInt8], ImageError.Code)] = [
            ("no chunk", Fixture.file([]), .corrupt),
            ("no picture", empty, .corrupt),
            ("a first chunk of nobody's", Fixture.file(Fixture.chunk("junk", [1, 2]), picture), .corrupt),
            ("alpha first", Fixture.file(Fixture.chunk("ALPH", [0, 1, 2, 3]), lossy), .corrupt),
            ("another size", Fixture.file(Fixture.extended(0, 7, 4), picture), .corrupt),
            ("another size, lossy", Fixture.file(Fixture.extended(0, 6, 5), lossy), .corrupt),
            ("a short VP8X", Fixture.file(Fixture.chunk("VP8X", [0, 0, 0, 0]), picture), .corrupt),
            ("a long chunk", longer(Fixture.file(picture), at: 16, 1_000_000), .corrupt),
            ("the longest chunk", longer(Fixture.file(picture), at: 16, 0xFFFF_FFFF), .corrupt),
            ("a short file", longer(Fixture.file(picture), at: 4, 3), .corrupt),
            ("a long file", longer(Fixture.file(picture), at: 4, 0xFFFF_FFFF), .truncated),
            ("no start code", Fixture.file(lossy.enumerated().map { $0.offset == 11 ? 0 : $0.element }), .corrupt),
            ("no signature", Fixture.file(picture.enumerated().map { $0.offset == 8 ? 0 : $0.element }), .corrupt),
            (
                "alpha twice over",
                Fixture.file(
                    Fixture.extended(16, 6, 4), Fixture.chunk("ALPH", [0, 1]), picture), .corrupt
            ),
            ("alpha of nothing", Fixture.file(Fixture.extended(16, 6, 4), Fixture.chunk("ALPH", []), lossy), .corrupt),
            ("an empty picture", Fixture.file(Fixture.chunk("VP8L", [])), .corrupt),
            ("a large canvas", Fixture.file(Fixture.extended(0, 1 << 20, 1 << 20), picture), .corrupt),
            (
                "a large canvas of frames",
                Fixture.file(Fixture.extended(2, 1 << 20, 1 << 20), Fixture.frame(6, 4, picture)), .limitExceeded
            ),
            ("a picture too wide", Fixture.file(Fixture.extended(0, 20000, 4), picture), .corrupt),
        ]
        for (name, file, code) in files {
            let session = DecoderSession(webP: file)
            #expect(session.error?.code == code, "\(name): \(String(describing: session.error))")
            let single = DecoderSession(webP: file, splits: Array(1..<max(2, file.count)).filter { $0 < file.count })
            #expect(single.error?.code == code && single.rows == session.rows, "\(name), in single bytes")
        }
    }

    @Test("Changed bytes give an error or an image, the same for every split", arguments: [true, false])
    func mutations(lossless: Bool) throws {
        let sample = try Fixture.sample(40, 50, alpha: .straight)
        let file = try Fixture.encode(sample, EncodingOptions(isLossless: lossless))
        var random = SeededGenerator(3)
        for _ in 0..<200 {
            var changed = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 12..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = DecoderSession(webP: changed)
            #expect(whole.isComplete || whole.error != nil)
            let split = DecoderSession(
                webP: changed, splits: DecoderSession.splits(of: file.count, upTo: 200, using: &random))
            #expect(split.rows == whole.rows && split.error?.code == whole.error?.code)
            #expect(split.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
        }
    }

    @Test("Limits are checked")
    func limits() throws {
        let file = try Fixture.encode(Fixture.sample(60, 90), EncodingOptions(isLossless: true))
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 60 * 90 - 1
        #expect(DecoderSession(webP: file, limits: limits).error?.code == .limitExceeded)
        limits = .standard
        limits.maximumSideLength = 89
        #expect(DecoderSession(webP: file, limits: limits).error?.code == .limitExceeded)
        limits = .standard
        limits.maximumInputByteCount = file.count / 2
        let session = DecoderSession(webP: file, limits: limits)
        #expect(session.error?.code == .limitExceeded)
    }

    @Test("A huge blank image is refused before memory is allocated")
    func bomb() throws {
        // VP8L of 16384 × 16384 pixels: 2 GiB for libwebp and its rows.
        let bits = 16383 | 16383 << 14
        let file = Fixture.file(Fixture.chunk("VP8L", [0x2F] + Fixture.number(bits, 4) + [0, 0, 0, 0]))
        #expect(DecoderSession(webP: file).error?.code == .limitExceeded)
    }
}
#endif
