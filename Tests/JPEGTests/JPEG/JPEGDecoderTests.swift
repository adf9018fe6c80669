import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG decoding")
struct JPEGDecoderTests {
    @Test("The header is known before any pixel", arguments: JPEGFixture.kinds)
    func header(kind: JPEGFixture.Kind) throws {
        let session = DecoderSession(JPEGCodec(), JPEGFixture.file(kind))
        let header = try #require(session.header)
        #expect(header.format == .jpeg)
        #expect(header.storedSize == kind.size)
        #expect(header.isProgressive == kind.isProgressive)
        #expect(header.bitsPerChannel == 8)
        #expect(!header.hasAlpha)
        let models: [Int: ImageHeader.ColorModel] = [1: .gray, 2: .rgb, 3: .cmyk]
        #expect(header.colorModel == models[Int(kind.pixels)])
        #expect(session.info?.format == (header.colorModel == .gray ? .gray8 : .rgba8))
        #expect(session.isComplete && session.error == nil)
    }

    @Test(
        "Pixels are djpeg's", .needs(DJPEG.tool),
        arguments: JPEGFixture.kinds.filter { $0.pixels != 3 })
    func djpeg(kind: JPEGFixture.Kind) throws {
        let file = JPEGFixture.file(kind)
        let expected = try #require(try DJPEG.decode(file))
        let bitmap = try #require(DecoderSession(JPEGCodec(), file).bitmap)
        #expect(bitmap.size == expected.size)
        // The same library and the same transform: not one sample may differ.
        #expect(bitmap.pnmSamples == expected.samples)
    }

    @Test("Any split gives the same pixels", arguments: JPEGFixture.kinds)
    func splits(kind: JPEGFixture.Kind) throws {
        let file = JPEGFixture.file(kind)
        let whole = try #require(DecoderSession(JPEGCodec(), file).bitmap).tightBytes()
        for end in 0..<min(file.count, 4096) {
            let session = DecoderSession(JPEGCodec(), file, splits: [end])
            guard session.isComplete, session.bitmap?.tightBytes() == whole else {
                Issue.record("split at \(end): \(String(describing: session.error))")
                return
            }
        }
        var random = SeededGenerator(7)
        for round in 0..<20 {
            var splits: [Int] = []
            while (splits.last ?? 0) < file.count - 1 {
                splits.append(
                    min(
                        file.count - 1,
                        (splits.last ?? 0) + Int.random(in: 0..<(round < 4 ? 3 : 900), using: &random) + 1))
            }
            let session = DecoderSession(JPEGCodec(), file, splits: splits)
            #expect(session.isComplete && session.bitmap?.tightBytes() == whole, "splits \(splits)")
        }
    }

    @Test("Each scan that arrives is a pass, and the last one is final")
    func passes() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true))
        let pieces = Array(stride(from: 20, to: file.count, by: 20))
        let session = DecoderSession(JPEGCodec(), file, splits: pieces, delivery: .every)
        // libjpeg's script for YCbCr has ten scans; the tenth is the picture.
        #expect(session.passes == Array(1...9))
        #expect(session.isComplete)
        let final = try #require(session.bitmap).tightBytes()
        for delivery in [PassDelivery.last, .every] {
            let whole = DecoderSession(JPEGCodec(), file, delivery: delivery)
            #expect(whole.passes.isEmpty && whole.bitmap?.tightBytes() == final)
        }
        let errors = session.passBitmaps.map { Self.meanError($0.tightBytes(), final) }
        #expect(errors.first! > errors.last!, "passes become finer: \(errors)")
        #expect(errors.last! < 3)
    }

    @Test("A baseline image's rows come with its bytes")
    func rowsAsTheyCome() throws {
        let kind = JPEGFixture.Kind(size: PixelSize(width: 200, height: 400))
        let file = JPEGFixture.file(kind)
        let decoder = try JPEGCodec().makeDecoder(
            for: FormatProbe(whole: file.span.bytes), options: DecodingOptions())
        try decoder.append(file.span.bytes.extracting(first: file.count / 2))
        var bitmap = try MutableBitmap(try decoder.start(.full, delivery: .every))
        var rows = bitmap.mutableRows
        guard case .rows(let count) = try decoder.read(into: &rows) else {
            Issue.record("half of the bytes give no row")
            return
        }
        #expect(count > 100 && count < 300)
        #expect(try decoder.read(into: &rows) == .needMoreData)
    }

    @Test(
        "Images decode at reduced sizes", .needs(DJPEG.tool),
        arguments: [
            (400, 300, 8), (200, 150, 8), (101, 75, 8), (100, 75, 4), (51, 20, 4), (50, 37, 2), (26, 1, 2), (25, 19, 2),
            (25, 18, 1), (1, 1, 1),
        ])
    func targetSize(width: Int, height: Int, eighths: Int) throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 400, height: 300)))
        let session = DecoderSession(
            JPEGCodec(), file, plan: DecodingPlan(targetSize: PixelSize(width: width, height: height)))
        let expected = try #require(try DJPEG.decode(file, arguments: ["-scale", "\(eighths)/8"]))
        #expect(session.bitmap?.size == expected.size)
        #expect(session.bitmap?.pnmSamples == expected.samples)
        // libjpeg's reduced sizes are of means, which a smaller gap would leave soft.
        var plan = DecodingPlan(targetSize: PixelSize(width: width, height: height))
        plan.reducingGap = 1
        #expect(DecoderSession(JPEGCodec(), file, plan: plan, delivery: .every).bitmap?.size == expected.size)
    }

    @Test("A region is the crop of the whole", arguments: JPEGFixture.kinds)
    func region(kind: JPEGFixture.Kind) throws {
        var kind = kind
        kind.size = PixelSize(width: 133, height: 177)
        let file = JPEGFixture.file(kind)
        let whole = try #require(DecoderSession(JPEGCodec(), file).bitmap)
        var random = SeededGenerator(11)
        for _ in 0..<40 {
            let (x, y) = (Int.random(in: 0..<(133), using: &random), Int.random(in: 0..<(177), using: &random))
            let region = PixelRect(
                x: x, y: y, width: 1 + Int.random(in: 0..<(133 - x), using: &random),
                height: 1 + Int.random(in: 0..<(177 - y), using: &random))
            let splits =
                Int.random(in: 0..<(2), using: &random) == 0 ? [] : Array(stride(from: 150, to: file.count, by: 150))
            let session = DecoderSession(JPEGCodec(), file, splits: splits, plan: DecodingPlan(region: region))
            #expect(session.isComplete)
            let (made, cropped) = (session.bitmap?.tightBytes(), try whole.cropped(to: region).tightBytes())
            #expect(
                made == cropped,
                "\(region) in \(splits.count + 1) pieces: \(made?.prefix(8) ?? []) \(cropped.prefix(8))")
        }
    }

    @Test("A reduced region is the crop of the reduced image", arguments: [(1, 2), (2, 1), (4, 1), (2, 2)])
    func scaledRegion(across: UInt8, down: UInt8) throws {
        let kind = JPEGFixture.Kind(subsampling: (across, down), size: PixelSize(width: 333, height: 277))
        let file = JPEGFixture.file(kind)
        for divisor in [2, 4, 8] {
            let target = PixelSize(width: 333 / divisor / 2, height: 277 / divisor / 2)
            let small = try #require(DecoderSession(JPEGCodec(), file, plan: DecodingPlan(targetSize: target)).bitmap)
            #expect(
                small.size == PixelSize(width: (333 + divisor - 1) / divisor, height: (277 + divisor - 1) / divisor))
            let region = PixelRect(x: 96, y: 64, width: 80, height: 160)
            let plan = DecodingPlan(
                region: region, targetSize: PixelSize(width: 40 / divisor, height: 80 / divisor))
            let part = PixelRect(x: 96 / divisor, y: 64 / divisor, width: 80 / divisor, height: 160 / divisor)
            #expect(
                DecoderSession(JPEGCodec(), file, plan: plan).bitmap?.tightBytes()
                    == (try small.cropped(to: part)).tightBytes())
            // Ends within a pixel, it isn't cut there: the smallest scale at which it ends between pixels is made.
            for (region, eighths) in [
                (PixelRect(x: 97, y: 64, width: 79, height: 160), 8),
                (PixelRect(x: 96, y: 64, width: 80, height: 162), 4),
                (PixelRect(x: 96, y: 64, width: 237, height: 213), 8 / divisor),
            ] {
                let plan = DecodingPlan(
                    region: region, targetSize: PixelSize(width: 40 / divisor, height: 80 / divisor))
                let scale = max(eighths, 8 / divisor)
                #expect(
                    DecoderSession(JPEGCodec(), file, plan: plan).info?.size
                        == PixelSize(
                            width: (region.width * scale + 7) / 8, height: (region.height * scale + 7) / 8))
            }
        }
    }

    @Test("CMYK becomes RGB by the plain formula")
    func inks() throws {
        // Flat colours, as stored (255 - ink); with the RGB that Pillow 13's convert("RGB") gives for them.
        let colors: [([UInt8], [UInt8])] = [
            ([255, 255, 255, 255], [255, 255, 255]), ([0, 255, 255, 255], [0, 255, 255]),
            ([255, 255, 255, 0], [0, 0, 0]), ([128, 64, 200, 128], [64, 32, 100]),
            ([200, 100, 50, 77], [60, 30, 15]), ([13, 240, 129, 254], [13, 239, 128]),
        ]
        for (stored, expected) in colors {
            let size = PixelSize(width: 16, height: 16)
            let kind = JPEGFixture.Kind(pixels: 3, size: size)
            let file = JPEGFixture.file(kind, pixels: Array(repeatElement(stored, count: 256).joined()))
            let bitmap = try #require(DecoderSession(JPEGCodec(), file).bitmap)
            let pixel = Array(bitmap.tightBytes().prefix(4))
            // A flat block is off by one at most after quantisation at quality 85.
            for channel in 0..<3 { #expect(abs(Int(pixel[channel]) - Int(expected[channel])) <= 1, "\(stored)") }
            #expect(pixel[3] == 255)
        }
    }

    @Test("Bytes after the image are ignored")
    func trailingBytes() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind())
        let whole = DecoderSession(JPEGCodec(), file).bitmap?.tightBytes()
        // The second has a marker of no known type in place of its end.
        for trailed in [file + [UInt8](repeating: 0xFF, count: 5000) + file, file.dropLast(2) + [0xFF, 0x3F] + file] {
            let session = DecoderSession(
                JPEGCodec(), trailed, splits: Array(stride(from: 64, to: trailed.count, by: 64)))
            #expect(session.isComplete && session.error == nil)
            #expect(session.bitmap?.tightBytes() == whole)
        }
    }

    static func meanError(_ a: [UInt8], _ b: [UInt8]) -> Double {
        Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
    }
}
