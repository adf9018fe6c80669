import CTesseraJPEG
import ImageFormats
import ImageFormatsTestSupport
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("Progressive JPEGs without all coefficients")
struct JPEGInStepTests {
    /// Limits under which no decoder can keep the coefficients of a file of this size.
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
            let script = JPEGScans.script(components: 3, &random)
            let file = try JPEGScans.file(baseline, script, round % 2 == 0 ? [] : ["-restart", "2"])
            let expected = try #require(try DJPEG.decode(file)).samples
            let session = DecoderSession(JPEGCodec(), file, options: Self.options(size))
            #expect(session.error == nil && session.bitmap?.pnmSamples == expected, "\(script)")
            let pieces = Array(stride(from: 500, to: file.count, by: 500))
            for delivery in [PassDelivery.last, .every] {
                let split = DecoderSession(
                    JPEGCodec(), file, splits: pieces, delivery: delivery, options: Self.options(size))
                #expect(split.error == nil && split.bitmap?.pnmSamples == expected)
            }
        }
    }

    @Test("An eighth of the size doesn't need the data of luma's detail")
    func omittedScans() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, size: PixelSize(width: 150, height: 401)))
        let scans = JPEGStructure(of: file.span.bytes).scans
        let detail = try #require(scans.last)
        #expect(detail.components.count == 1 && detail.spectralStart > 0)
        let whole = JPEGEighthTests.session(file)
        #expect(whole.error == nil)
        var damaged = file
        for index in (detail.dataOffset + 8)..<(file.count - 2) { damaged[index] = 0xAA }
        let truncated = Array(file[..<(detail.dataOffset + 8)])
        for (file, code) in [(damaged, ImageError.Code.corrupt), (truncated, .truncated)] {
            let session = JPEGEighthTests.session(file)
            #expect(session.error == nil && session.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
            #expect(DecoderSession(JPEGCodec(), file).error?.code == code)
        }
        #expect(JPEGEighthTests.session(Array(file[..<detail.offset])).error?.code == .truncated)
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

    @Test("Reduced sizes and regions of them have libjpeg's pixels", .needs(DJPEG.tool))
    func reduced() throws {
        let size = PixelSize(width: 333, height: 277)
        for kind in JPEGFixture.kinds where kind.isProgressive {
            var kind = kind
            kind.size = size
            let file = JPEGFixture.file(kind)
            for divisor in [2, 4, 8] {
                let plan = DecodingPlan(
                    targetSize: PixelSize(width: 333 / divisor / 2, height: 277 / divisor / 2))
                let session = DecoderSession(JPEGCodec(), file, plan: plan, options: Self.options(size))
                let small = try #require(session.bitmap)
                #expect(session.error == nil && small.size.width == (333 + divisor - 1) / divisor)
                if kind.pixels != TESSERA_JPEG_PIXELS_CMYK8 {
                    #expect(
                        try small.pnmSamples == DJPEG.decode(file, arguments: ["-scale", "1/\(divisor)"])?.samples)
                }
                let region = PixelRect(x: 96, y: 64, width: 80, height: 160)
                let part = PixelRect(x: 96 / divisor, y: 64 / divisor, width: 80 / divisor, height: 160 / divisor)
                let target = PixelSize(width: 40 / divisor, height: 80 / divisor)
                for splits in [[], [400, 900, 5000]] {
                    let cut = DecoderSession(
                        JPEGCodec(), file, splits: splits, plan: DecodingPlan(region: region, targetSize: target))
                    #expect(try cut.bitmap?.tightBytes() == small.cropped(to: part).tightBytes())
                }
            }
        }
    }

    @Test("A damaged file gives the same for any split, the rows before the damage, and an error with its place")
    func damage() throws {
        var random = SeededGenerator(3)
        let size = PixelSize(width: 61, height: 203)
        var damages = 0
        for (round, sampling) in JPEGSampleRowsTests.samplings.enumerated() {
            let file = JPEGFixture.file(
                JPEGFixture.Kind(
                    subsampling: sampling, isProgressive: true, restartRows: round % 2 == 0 ? 0 : 1, size: size))
            let whole = try #require(DecoderSession(JPEGCodec(), file).bitmap).tightBytes()
            let start = try #require((0..<file.count).first { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
            for _ in 0..<60 {
                var damaged = file
                let place = Int.random(in: start..<file.count, using: &random)
                damaged[place] = UInt8.random(in: 0...255, using: &random)
                let expected = DecoderSession(JPEGCodec(), damaged, splits: [start + 100])
                for rowCount in [100, 7] {
                    let session = DecoderSession(JPEGCodec(), damaged, rowCount: rowCount)
                    #expect(session.error?.code == expected.error?.code)
                    #expect(session.error?.byteOffset == expected.error?.byteOffset)
                    #expect(session.bitmap?.tightBytes() == expected.bitmap?.tightBytes())
                }
                guard let error = expected.error else { continue }
                damages += 1
                #expect(error.code == .corrupt || error.code == .truncated)
                #expect(error.byteOffset.map { $0 <= file.count } == true, "\(place): \(error)")
                // The damage may be in a scan's header; else the rows above it are sound.
                guard let rows = Self.rowBefore(place, in: file), let bitmap = expected.bitmap else { continue }
                let count = max(0, min(rows, expected.rows) - 2) * 61 * 4
                #expect(bitmap.tightBytes().prefix(count) == whole.prefix(count), "\(place): \(error)")
            }
        }
        #expect(damages > 100)
    }

    /// The rows of the image above the row of MCUs whose data has this byte; nil if no scan's data has.
    private static func rowBefore(_ place: Int, in file: [UInt8]) -> Int? {
        let structure = JPEGStructure(of: file.span.bytes)
        guard let scan = structure.scans.firstIndex(where: { $0.dataOffset <= place && place < $0.endOffset ?? 0 }),
            let script = try? JPEGScanScript(structure, head: file.span.bytes, data: file.span.bytes, from: 0)
        else { return nil }
        var rows = JPEGCoefficientRows(script)
        let piece = JPEGScanPiece(start: 0, range: 0..<file.count)
        while rows.rowCount < rows.layout.mcusDown {
            rows.decodeRow(file.span.bytes, from: 0)
            // A marker, and the bytes around it, may be changed.
            if rows.states(file.span.bytes, [piece])[scan].position >> 3 + 4 > place { break }
        }
        return max(0, rows.rowCount - 1) * 8 * rows.layout.verticalSampling
    }

    @Test("A truncated file has the same rows and error, however its bytes arrive")
    func truncated() throws {
        let size = PixelSize(width: 33, height: 40)
        let file = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, size: size))
        let scan = JPEGStructure(of: file.span.bytes).scans[0]
        let first = DecoderSession(JPEGCodec(), JPEGScans.prefix(file, scans: 1)).bitmap?.tightBytes()
        for count in stride(from: scan.dataOffset, to: file.count - 2, by: 7) {
            let cut = Array(file[..<count])
            let whole = DecoderSession(JPEGCodec(), cut)
            let split = DecoderSession(JPEGCodec(), cut, splits: [count / 2])
            #expect(whole.error?.code == .truncated && whole.error?.byteOffset == count)
            #expect(split.error?.code == .truncated && split.error?.byteOffset == count)
            #expect(whole.rows == split.rows && whole.bitmap?.tightBytes() == split.bitmap?.tightBytes(), "\(count)")
            if count >= scan.endOffset! { #expect(whole.rows == 40) }
        }
        let cut = DecoderSession(JPEGCodec(), Array(file[..<scan.endOffset!]))
        #expect(cut.bitmap?.tightBytes() == first)
    }

    @Test("A file longer than the limit for input is refused")
    func longFile() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true, size: PixelSize(width: 150, height: 401)))
        let scan = JPEGStructure(of: file.span.bytes).scans[0]
        var options = DecodingOptions(color: .asStored)
        let pieces = Array(stride(from: 700, to: file.count, by: 700))
        options.limits.maximumInputByteCount = file.count - scan.dataOffset
        #expect(DecoderSession(JPEGCodec(), file, splits: pieces, options: options).error == nil)
        options.limits.maximumInputByteCount -= 1
        #expect(DecoderSession(JPEGCodec(), file, splits: pieces, options: options).error?.code == .limitExceeded)
    }
}
