import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("GIF damage")
struct GIFDamageTests {
    typealias Frame = GIFFixture.Frame

    @Test("Every prefix yields its rows, then the error")
    func everyPrefixGivesTheRowsThereAreThenTheError() {
        for isInterlaced in [false, true] {
            var fixture = GIFFixture(17, 13)
            fixture.frames[0].isInterlaced = isInterlaced
            let bytes = fixture.bytes
            let shown = fixture.shown[0]
            var rows = 0
            for count in 0..<(bytes.count - 3) {
                let session = DecoderSession(gif: Array(bytes.prefix(count)))
                if session.isComplete { continue }
                #expect(session.error?.code == .truncated)
                #expect(session.rows >= rows)
                rows = session.rows
                guard !isInterlaced else { continue }
                #expect(session.pixels == Array(shown.prefix(session.rows * 17)))
            }
            #expect(rows >= 12)
        }
    }

    @Test("A truncated interlaced image shows its blocks")
    func anInterlacedPictureCutShortShowsItsBlocks() {
        var fixture = GIFFixture(6, 24)
        fixture.frames[0].isInterlaced = true
        let bytes = fixture.bytes
        let shown = fixture.shown[0]
        // The first pass has rows 0, 8 and 16; here only the first came, or two.
        for delivery in [PassDelivery.last, .every] {
            let header = 13 + 48 + 8 + 10 + 1
            let session = DecoderSession(gif: Array(bytes.prefix(header + 1 + 9)), delivery: delivery)
            #expect(session.error?.code == .truncated)
            #expect(session.rows % 8 == 0 && session.rows > 0 && session.rows < 24)
            for y in 0..<session.rows {
                #expect(Array(session.pixels[(6 * y)..<(6 * y + 6)]) == Array(shown[(6 * (y / 8 * 8))...].prefix(6)))
            }
        }
    }

    @Test(
        "Undefined codes are errors",
        arguments: [
            // One that isn't in the table yet, at first and later.
            ([16, 20], 5, ImageError.Code.corrupt), ([16, 1, 19], 5, .corrupt),
            // One that stands for itself before there is a string.
            ([18], 5, .corrupt),
            // The end at once, or nothing at all.
            ([17], 5, .truncated), ([16, 1, 17], 5, .truncated), ([], 5, .truncated),
        ] as [([Int], Int, ImageError.Code)])
    func codes(codes: [Int], width: Int, code: ImageError.Code) {
        var fixture = GIFFixture(9, 9)
        fixture.frames[0].codes = GIFFixture.pack(codes, width: width)
        #expect(DecoderSession(gif: fixture.bytes).error?.code == code)
        #expect(GIFAnimation(fixture.bytes).frameError?.code == code)
        #expect(GIFAnimation(fixture.bytes).error == nil)
    }

    @Test("A string may begin with its own code")
    func aStringMayBeginWithItself() {
        // 1, then the string that is being made: 1 1, then 1 1 1.
        var fixture = GIFFixture(6, 1)
        fixture.frames[0].codes = GIFFixture.pack([16, 1, 18, 19, 17], width: 5)
        fixture.frames[0].indices = [1, 1, 1, 1, 1, 1]
        #expect(DecoderSession(gif: fixture.bytes).pixels == fixture.shown[0])
    }

    @Test("Invalid code sizes are errors")
    func sizesOfIndicesThatNoByteHolds() {
        for size in [0, 9, 12, 255] {
            var fixture = GIFFixture(3, 3)
            fixture.frames[0].codes = [1, 2, 3]
            fixture.frames[0].minimumCodeSize = size
            #expect(DecoderSession(gif: fixture.bytes).error?.code == .corrupt)
            #expect(GIFAnimation(fixture.bytes).frameError?.code == .corrupt)
        }
    }

    @Test("Files without an image are errors")
    func filesWithoutAPicture() {
        var fixture = GIFFixture(3, 3, [])
        #expect(DecoderSession(gif: fixture.bytes).error?.code == .corrupt)
        #expect(GIFAnimation(fixture.bytes).error?.code == .corrupt)
        fixture.trailer = []
        #expect(DecoderSession(gif: fixture.bytes).error?.code == .truncated)
        #expect(GIFAnimation(fixture.bytes).error?.code == .truncated)
        fixture.trailer = [7]
        #expect(DecoderSession(gif: fixture.bytes).error?.code == .corrupt)
        #expect(DecoderSession(gif: fixture.bytes).error?.byteOffset == fixture.bytes.count - 1)
        #expect(DecoderSession(gif: []).error?.code == .truncated)
    }

    @Test("Limits are checked")
    func limits() {
        var limits = DecodingLimits.standard
        limits.maximumSideLength = 99
        #expect(DecoderSession(gif: GIFFixture(100, 1).bytes, limits: limits).error?.code == .limitExceeded)
        limits = .standard
        limits.maximumWorkingByteCount = 99
        var fixture = GIFFixture(10, 10)
        fixture.frames[0].isInterlaced = true
        #expect(DecoderSession(gif: fixture.bytes, limits: limits).error?.code == .limitExceeded)
        // A frame larger than its canvas has to be unpacked, so it counts.
        limits = .standard
        limits.maximumPixelCount = 1000
        let large = GIFFixture(5, 5, [Frame(5, 5), Frame(40, 40)])
        #expect(GIFAnimation(large.bytes, limits: limits).frameError?.code == .limitExceeded)
    }

    @Test("A frame other than the first can't be decoded as a still image")
    func anotherFrameIsNoStill() throws {
        let fixture = GIFAnimationTests.mixed
        let options = DecodingOptions(imageIndex: 5)
        let bytes = fixture.bytes
        #expect(
            errorCode { try GIFCodec().makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options) }
                == .unsupported)
        // Who drives the sessions composes it.
        #expect(try ImageSource.decode(bytes, options: options).bitmap.pixels == fixture.shown[5])
    }

    @Test("Changed bytes never trap")
    func changedBytesNeverTrap() {
        var random = SeededGenerator(3)
        let valid = [GIFAnimationTests.mixed.bytes, GIFFixture(40, 40).bytes]
        for round in 0..<400 {
            var bytes = valid[round % 2]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 6..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var limits = DecodingLimits.standard
            limits.maximumPixelCount = 1 << 16
            let session = DecoderSession(gif: bytes, delivery: round % 3 == 0 ? .every : .last, limits: limits)
            #expect(session.isComplete || session.error != nil)
            let animation = GIFAnimation(bytes, limits: limits)
            #expect(
                animation.error != nil || animation.frameError != nil || animation.shown.count == animation.frames.count
            )
        }
    }
}
