#if JPEGXL
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// Sections of a frame in an order that libjxl 0.7 loses its place in when it has to pause.
@Suite("JPEG XL: sections out of order")
struct JPEGXLSectionOrderTests {
    /// Wider than 2048 pixels, which is what one section of low frequencies covers.
    private static let plain: [UInt8] = {
        let bitmap = try! SamplePicture.valley.makeBitmap(size: PixelSize(width: 2200, height: 70))
        return try! JPEGXLFixture.file(bitmap)
    }()

    /// Global data, low frequencies twice, global data of high frequencies, nine groups: the second section of low
    /// frequencies comes behind a group of pixels.
    private static let file: [UInt8] = {
        let files = JPEGXLFixture.reordered(plain, sectionCount: 13, exchanging: 2, 5)
        return files.first { DecoderSession(JPEGXLCodec(), $0).isComplete } ?? files[0]
    }()
    private static let expected = DecoderSession(JPEGXLCodec(), plain)

    @Test("The image is the same whole, in chunks, with passes and in boxes")
    func pixels() throws {
        let pixels = try #require(Self.expected.bitmap).tightBytes()
        try #require(Self.expected.isComplete && Self.file != Self.plain)
        let exif = JPEGXLFixture.exif(6)
        let files = [
            Self.file, JPEGXLFixture.boxed(Self.file), JPEGXLFixture.boxed(Self.file, parts: 5),
            JPEGXLFixture.boxed(Self.file, parts: 3, after: [("Exif", [0, 0, 0, 0] + exif)]),
            JPEGXLFixture.boxed(Self.file, before: [("Exif", [0, 0, 0, 0] + exif)]),
        ]
        for (index, file) in files.enumerated() {
            for step in [file.count, 999, 50] {
                for delivery in [PassDelivery.last, .every] {
                    let session = DecoderSession(
                        JPEGXLCodec(), file, splits: Array(stride(from: step, to: file.count, by: step)),
                        delivery: delivery)
                    #expect(session.isComplete && session.error == nil, "file \(index): \(session.error as Any)")
                    #expect(session.bitmap?.tightBytes() == pixels)
                    #expect((session.header?.metadata.exif == exif) == (index >= 3))
                }
            }
        }
    }

    @Test("A coarse image still comes first")
    func preview() throws {
        let plain = DecoderSession(JPEGXLCodec(), Self.plain, delivery: .every)
        let session = DecoderSession(JPEGXLCodec(), Self.file, delivery: .every)
        #expect(session.passBitmaps.first?.tightBytes() == plain.passBitmaps.first?.tightBytes())
        #expect(session.passes == [1])
    }

    @Test("A region is the same part of the image")
    func region() throws {
        let region = PixelRect(x: 1900, y: 10, width: 300, height: 50)
        let session = DecoderSession(JPEGXLCodec(), Self.file, plan: DecodingPlan(region: region))
        #expect(session.bitmap?.tightBytes() == (try Self.expected.bitmap?.cropped(to: region))?.tightBytes())
    }

    @Test("Truncated anywhere, it is drawn up to its end and reported")
    func truncation() throws {
        var drawn = 0
        for percent in stride(from: 10, to: 100, by: 10) {
            let cut = Array(Self.file.prefix(Self.file.count * percent / 100))
            for step in [cut.count, 500] {
                let session = DecoderSession(
                    JPEGXLCodec(), cut, splits: Array(stride(from: step, to: cut.count, by: step)))
                #expect(session.error?.code == .truncated && !session.isComplete)
                if session.rows == 70 { drawn += 1 }
            }
        }
        #expect(drawn > 0)
    }

    @Test("Damage is an error")
    func damage() throws {
        var damaged = Self.file
        for offset in (damaged.count / 2)..<(damaged.count / 2 + 40) { damaged[offset] ^= 0x5A }
        for step in [damaged.count, 500] {
            let session = DecoderSession(
                JPEGXLCodec(), damaged, splits: Array(stride(from: step, to: damaged.count, by: step)))
            #expect(session.error?.code == .corrupt && !session.isComplete)
        }
    }

    @Test("Bytes are buffered up to the limit")
    func limit() throws {
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumInputByteCount = Self.file.count
        let splits = Array(stride(from: 500, to: Self.file.count, by: 500))
        #expect(DecoderSession(JPEGXLCodec(), Self.file, splits: splits, options: options).isComplete)
        options.limits.maximumInputByteCount = Self.file.count - 1
        #expect(DecoderSession(JPEGXLCodec(), Self.file, splits: splits, options: options).error != nil)
    }

    @Test("A truncated image with half-resolution passes is drawn like libjxl", .needs(DJXL.djxl, DJXL.cjxl))
    func cutModular() throws {
        let file = try #require(
            try DJXL.encode(JPEGXLFixture.valley, arguments: ["-m", "1", "-d", "2", "-e", "3"]))
        let cut = Array(file.prefix(file.count * 9 / 10))
        let session = DecoderSession(JPEGXLCodec(), cut)
        #expect(session.error?.code == .truncated && session.rows == JPEGXLFixture.valley.height)
        let theirs = try #require(try DJXL.decode(cut, arguments: ["--allow_partial_files"])?.first)
        #expect(session.bitmap?.storedSamples == theirs.samples(as: try #require(session.info)))
    }
}
#endif
