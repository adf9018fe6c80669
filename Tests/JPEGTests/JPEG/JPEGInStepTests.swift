import CTesseraJPEG
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Progressive JPEGs without all coefficients")
struct JPEGInStepTests {
    /// Limits under which libjpeg can't keep the coefficients of a file of this size.
    static func options(_ size: PixelSize) -> DecodingOptions {
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumWorkingByteCount = size.pixelCount * 2
        return options
    }

    @Test("Files of several scans decode to djpeg's pixels in the memory of some rows", .needs(DJPEG.tool))
    func pixels() throws {
        var random = SeededGenerator(2)
        let size = PixelSize(width: 150, height: 401)
        for round in 0..<21 {
            let sampling = JPEGSampleRowsTests.samplings[round % 7]
            let baseline = JPEGFixture.file(JPEGFixture.Kind(subsampling: sampling, size: size))
            let script = JPEGSampleRowsTests.script(components: 3, &random)
            let file = try JPEGSharedScansTests.scans(baseline, script, round % 2 == 0 ? [] : ["-restart", "2"])
            let expected = try #require(try DJPEG.decode(file)).samples
            let session = DecoderSession(JPEGCodec(), file, options: Self.options(size))
            #expect(session.error == nil && session.bitmap?.pnmSamples == expected, "\(script)")
            // While bytes arrive, libjpeg reads the scans, and needs the memory.
            let pieces = Array(stride(from: 500, to: file.count, by: 500))
            let split = DecoderSession(JPEGCodec(), file, splits: pieces, options: DecodingOptions(color: .asStored))
            #expect(split.error == nil && split.bitmap?.pnmSamples == expected)
            #expect(
                DecoderSession(JPEGCodec(), file, splits: pieces, options: Self.options(size)).error?.code
                    == .limitExceeded)
        }
    }

    @Test("A region has the pixels of the whole image")
    func regions() throws {
        let size = PixelSize(width: 150, height: 401)
        for sampling in JPEGSampleRowsTests.samplings {
            let file = JPEGFixture.file(JPEGFixture.Kind(subsampling: sampling, isProgressive: true, size: size))
            let whole = try #require(DecoderSession(JPEGCodec(), file).bitmap)
            for region in [
                PixelRect(x: 0, y: 0, width: 150, height: 1), PixelRect(x: 37, y: 95, width: 60, height: 100),
                PixelRect(x: 149, y: 400, width: 1, height: 1), PixelRect(x: 8, y: 33, width: 142, height: 368),
            ] {
                let part = DecoderSession(JPEGCodec(), file, plan: DecodingPlan(region: region))
                let isSame = try part.bitmap?.tightBytes() == whole.cropped(to: region).tightBytes()
                #expect(part.error == nil && isSame)
            }
        }
    }

    @Test("Where a file is damaged, libjpeg takes over, with the same rows and the same error")
    func damage() throws {
        var random = SeededGenerator(3)
        let size = PixelSize(width: 61, height: 203)
        for (round, sampling) in JPEGSampleRowsTests.samplings.enumerated() {
            let file = JPEGFixture.file(
                JPEGFixture.Kind(
                    subsampling: sampling, isProgressive: true, restartRows: round % 2 == 0 ? 0 : 1, size: size))
            let start = try #require((0..<file.count).first { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
            for _ in 0..<100 {
                var damaged = file
                damaged[Int.random(in: start..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                // Read in pieces, libjpeg decodes all of it.
                let expected = DecoderSession(JPEGCodec(), damaged, splits: [start + 100])
                for rowCount in [100, 7] {
                    let session = DecoderSession(JPEGCodec(), damaged, rowCount: rowCount)
                    #expect(session.error?.code == expected.error?.code)
                    #expect(session.error?.byteOffset == expected.error?.byteOffset)
                    #expect(session.bitmap?.tightBytes() == expected.bitmap?.tightBytes())
                }
            }
        }
    }

    @Test("A truncated file has the rows and the error that libjpeg gives")
    func truncated() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, size: PixelSize(width: 33, height: 40)))
        for count in stride(from: 300, to: file.count, by: 7) {
            let cut = Array(file[..<count])
            let whole = DecoderSession(JPEGCodec(), cut)
            let split = DecoderSession(JPEGCodec(), cut, splits: [count / 2])
            #expect(whole.error?.code == split.error?.code)
            #expect(whole.bitmap?.tightBytes() == split.bitmap?.tightBytes(), "\(count)")
        }
    }

    @Test("A file longer than half of the limit for input is read by libjpeg as it arrives")
    func longFile() throws {
        let size = PixelSize(width: 150, height: 401)
        let file = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, size: size))
        let expected = try #require(DecoderSession(JPEGCodec(), file).bitmap).tightBytes()
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumInputByteCount = file.count / 4
        let decoder = try JPEGCodec().makeDecoder(for: FormatProbe(whole: file.span.bytes), options: options)
        var target: MutableBitmap?
        for start in stride(from: 0, to: file.count, by: 700) {
            try decoder.append(file.span.bytes.extracting(start..<min(file.count, start + 700)))
            if target == nil, decoder.header != nil {
                target = try MutableBitmap(decoder.start(.full, delivery: .last))
                #expect(decoder.prefersWholeInput)
            }
        }
        try decoder.finish()
        guard var bitmap = target.take() else { throw ImageError(.truncated, "no header") }
        var next = 0
        while next < size.height {
            var rows = bitmap.mutableRows
            var rest = rows.extracting(next..<size.height)
            guard case .rows(let count) = try decoder.read(into: &rest) else { break }
            next += count
        }
        let bytes = bitmap.freeze().tightBytes()
        #expect(next == size.height && bytes == expected)
    }
}
