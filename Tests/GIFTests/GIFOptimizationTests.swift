import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// Smaller files that show the same.
@Suite("GIF: optimization")
struct GIFOptimizationTests {
    /// A file of frames anywhere on the canvas, with every disposal, local palettes and transparency.
    private static func animation(seed: Int) -> GIFFixture {
        var random = SeededGenerator(UInt64(seed))
        let (width, height) = (Int.random(in: 3...24, using: &random), Int.random(in: 3...24, using: &random))
        var file = GIFFixture(width, height, [])
        for number in 0..<Int.random(in: 1...7, using: &random) {
            let (w, h) = (
                number == 0 ? width : Int.random(in: 1...width, using: &random),
                number == 0 ? height : Int.random(in: 1...height, using: &random)
            )
            // Few colours, so that pixels often have the colour below already.
            var frame = GIFFixture.Frame(w, h, seed: seed + number % 3, colors: Int.random(in: 1...16, using: &random))
            frame.x = Int.random(in: 0...(width - w), using: &random)
            frame.y = Int.random(in: 0...(height - h), using: &random)
            frame.disposal = Int.random(in: 0...3, using: &random)
            frame.delay = Int.random(in: 0...300, using: &random)
            frame.isInterlaced = Bool.random(using: &random)
            if Bool.random(using: &random) { frame.transparentIndex = UInt8.random(in: 0..<16, using: &random) }
            if Bool.random(using: &random) {
                frame.palette =
                    Bool.random(using: &random)
                    ? GIFFixture.sixteenColors
                    : (0..<48).map { _ in UInt8.random(in: 0...3, using: &random) * 85 }
            }
            file.frames.append(frame)
        }
        file.extensions = [GIFFixture.loops(3)]
        return file
    }

    @Test("Every frame is shown as before, as long, in no more bytes", arguments: 0..<150)
    func keepsFrames(_ seed: Int) throws {
        let file = Self.animation(seed: seed)
        let old = GIFAnimation(file.bytes)
        try #require(old.error == nil && old.frameError == nil && old.shown == file.shown)
        // A few of these are so small that nothing can be saved.
        let smaller = try GIFOptimization.smaller(file.bytes) ?? file.bytes
        #expect(smaller.count <= file.bytes.count)
        let new = GIFAnimation(smaller)
        #expect(new.error == nil && new.frameError == nil)
        #expect(new.shown == file.shown)
        #expect(new.frames.map(\.storedDuration) == old.frames.map(\.storedDuration))
        #expect(new.header?.sequence == old.header?.sequence && new.info?.size == old.info?.size)
        // Nothing is left to save.
        #expect(try (GIFOptimization.smaller(smaller)?.count ?? smaller.count) <= smaller.count)
    }

    @Test("Colours that no pixel has are dropped, and equal palettes are shared")
    func dropsColors() throws {
        var file = GIFFixture(8, 8, [GIFFixture.Frame(8, 8, colors: 3), GIFFixture.Frame(8, 8, seed: 1, colors: 3)])
        file.frames[1].palette = GIFFixture.sixteenColors
        let smaller = try #require(try GIFOptimization.smaller(file.bytes))
        // A global table of four: three colours, and the transparent index.
        #expect(smaller[10] == 0x81)
        #expect(GIFAnimation(smaller).shown == file.shown)
    }

    @Test("A frame without changes becomes one pixel, and stays")
    func unchangedFrame() throws {
        let frame = GIFFixture.Frame(40, 40)
        var file = GIFFixture(40, 40, [frame, frame, frame])
        for index in 0..<3 { file.frames[index].delay = 7 + index }
        let smaller = try #require(try GIFOptimization.smaller(file.bytes))
        let new = GIFAnimation(smaller)
        #expect(new.shown == file.shown && new.frames.map(\.storedDuration) == [0.07, 0.08, 0.09])
        #expect(new.frames[1].region.size == PixelSize(width: 1, height: 1))
    }

    @Test("A full table of 256 colours needs no transparent index")
    func fullPalette() throws {
        var file = GIFFixture(32, 16, [GIFFixture.Frame(32, 16)])
        file.palette = (0..<256).flatMap { [UInt8($0), UInt8(255 - $0), 7] }
        file.frames[0].indices = (0..<512).map { UInt8($0 & 255) }
        file.frames[0].minimumCodeSize = 8
        file.frames.append(file.frames[0])
        file.frames[1].indices.reverse()
        let smaller = try #require(try GIFOptimization.smaller(file.bytes))
        #expect(GIFAnimation(smaller).shown == file.shown)
    }

    @Test("Large frames with a full table of strings are coded in the best way")
    func fullStringTable() throws {
        var file = GIFFixture(300, 200, [GIFFixture.Frame(300, 200, colors: 16)])
        // Noise above, stripes below: the table of the one doesn't suit the other.
        for position in 30_000..<60_000 { file.frames[0].indices[position] = UInt8(position / 7 & 15) }
        let smaller = try #require(try GIFOptimization.smaller(file.bytes))
        #expect(GIFAnimation(smaller).shown == file.shown)
        let encoded = ByteBuffer()
        let bitmap = try ImageSource.decode(file.bytes, registry: CodecRegistry([GIFCodec()])).bitmap
        try GIFCodec().encode(bitmap, options: EncodingOptions(), output: encoded)
        #expect(smaller.count <= encoded.bytes.count)
    }

    @Test("Metadata is kept by its policy")
    func metadata() throws {
        var file = GIFFixture(9, 9)
        let comment: [UInt8] = [0x21, 0xFE] + GIFFixture.blocks(Array("by hand".utf8), of: 255)
        let xmp = GIFFixture.xmp(Array("<x/>".utf8))
        let profile = GIFFixture.application("ICCRGBG1012", [UInt8](repeating: 7, count: 300))
        file.extensions = [GIFFixture.loops(0), comment, xmp, profile]
        func contains(_ file: [UInt8], _ part: [UInt8]) -> Bool {
            file.indices.contains { file[$0...].starts(with: part) }
        }
        for (policy, kept) in [
            (MetadataPolicy.all, [true, true, true]), (.profile, [false, false, true]), (.none, [false, false, false]),
        ] {
            let smaller = try #require(try GIFOptimization.smaller(file.bytes, keeping: policy))
            #expect([comment, xmp, profile].map { contains(smaller, $0) } == kept, "\(policy)")
            #expect(contains(smaller, GIFFixture.loops(0)))
        }
    }

    @Test("Damaged files, text and images outside the screen are refused")
    func refusals() throws {
        let sound = Self.animation(seed: 3).bytes
        var outside = GIFFixture(8, 8, [GIFFixture.Frame(8, 8), GIFFixture.Frame(8, 8)])
        outside.frames[1].x = 1
        var text = GIFFixture(8, 8)
        text.extensions = [[0x21, 0x01] + GIFFixture.blocks([UInt8](repeating: 1, count: 12), of: 255)]
        var short = GIFFixture(8, 8)
        short.frames[0].codes = GIFFixture.pack([16, 1, 2, 17], width: 5)
        let cut = Array(GIFFixture(20, 20).bytes.dropLast(20))
        for (file, code) in [
            (cut, ImageError.Code.truncated), (Array(sound.prefix(9)), .truncated),
            (outside.bytes, .unsupported), (text.bytes, .unsupported), (short.bytes, .truncated),
        ] {
            #expect(errorCode { _ = try GIFOptimization.smaller(file) } == code)
        }
        var limits = DecodingLimits.standard
        limits.maximumFrameCount = 1
        #expect(errorCode { _ = try GIFOptimization.smaller(outside.bytes, limits: limits) } == .limitExceeded)
        limits = .standard
        limits.maximumWorkingByteCount = 1000
        #expect(errorCode { _ = try GIFOptimization.smaller(sound, limits: limits) } == .limitExceeded)
    }
}
