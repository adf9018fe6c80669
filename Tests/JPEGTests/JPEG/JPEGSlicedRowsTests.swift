import CTesseraJPEG
import ImageFormats
import ImageFormatsTestSupport
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("JPEG slices on several threads")
struct JPEGSlicedRowsTests {
    /// The rows of a file of 8 bits as slices make them: grey, RGBA or CMYK; up to the damage, if there is any.
    /// - Parameters:
    ///   - pieceByteCount: How many bytes arrive at a time; nil for all at once.
    ///   - rowsAtOnce: How many rows are requested at a time; nil for all at once.
    static func decode(
        _ file: [UInt8], side: Int, threads: Int, sliceByteCount: Int, pieceByteCount: Int? = nil, isYCC: Bool = true,
        isLow: Bool = false, keepsSubsampling: Bool = false, rowsAtOnce: Int? = nil
    ) throws -> (pixels: [UInt8], isDamaged: Bool) {
        let bytes = file.span.bytes
        let structure = JPEGStructure(of: bytes)
        let script = try JPEGScanScript(structure, head: bytes, data: bytes, from: 0, scanCount: 1)
        let rows = try #require(
            JPEGSlicedRows(
                script, side: side, from: 0, isYCC: isYCC, isLow: isLow, keepsSubsampling: keepsSubsampling,
                threadCount: threads, sliceByteCount: sliceByteCount))
        let width = (script.layout.width * side + 7) / 8
        let bytesPerRow = width * (script.layout.components.count == 1 ? 1 : 4)
        let data = bytes.extracting(structure.scans[0].dataOffset...)
        var pixels: [UInt8] = []
        var row = [UInt8](repeating: 0, count: bytesPerRow * rows.height)
        var (y, arrived) = (0, pieceByteCount ?? data.byteCount)
        while y < rows.height {
            let isFinished = arrived >= data.byteCount
            let known = data.extracting(first: min(arrived, data.byteCount))
            let (count, step) = row.withUnsafeMutableBytes {
                let end = min(rows.height, y + (rowsAtOnce ?? rows.height))
                return rows.write(.init(0..<width, y..<end, to: $0.baseAddress!, bytesPerRow: bytesPerRow)) {
                    $0(known, 0, isFinished)
                }
            }
            pixels += row[..<(count * bytesPerRow)]
            y += count
            switch step {
            case .advanced: #expect(count > 0)
            case .needsData:
                #expect(!isFinished)
                arrived += pieceByteCount ?? 0
            case .isDamaged: return (pixels, true)
            }
        }
        return (pixels, false)
    }

    @Test("Any sampling, size, number of threads and slices gives libjpeg's pixels, at full size and reduced")
    func pixels() throws {
        var random = SeededGenerator(21)
        for round in 0..<60 {
            let size = PixelSize(
                width: Int.random(in: 1...260, using: &random), height: Int.random(in: 1...150, using: &random))
            let pixels = [
                TESSERA_JPEG_PIXELS_RGBA8, TESSERA_JPEG_PIXELS_RGBA8, TESSERA_JPEG_PIXELS_GRAY8,
                TESSERA_JPEG_PIXELS_CMYK8,
            ][round % 4]
            let isColor = pixels == TESSERA_JPEG_PIXELS_RGBA8
            let sampling = isColor ? JPEGSampleRowsTests.samplings[round % 7] : (1, 1)
            let file = JPEGFixture.file(
                JPEGFixture.Kind(
                    pixels: pixels, subsampling: sampling, restartRows: UInt16([0, 0, 1, 2][round / 4 % 4]), size: size)
            )
            for (side, eighths) in [(8, UInt8(8)), (4, 4), (2, 2), (1, 1)] {
                let expected = JPEGScans.decode(file, pixels: pixels, eighths: eighths)
                let threads = [1, 2, 3, 8][(round + side) % 4]
                let piece = round % 3 == 0 ? 700 : nil
                for sliceByteCount in [200, 1000] {
                    let made = try Self.decode(
                        file, side: side, threads: threads, sliceByteCount: sliceByteCount, pieceByteCount: piece,
                        isYCC: isColor, rowsAtOnce: [nil, 1, 5, 16][(round + side) / 2 % 4])
                    #expect(
                        !made.isDamaged && made.pixels == expected,
                        "round \(round): \(size), \(sampling), 1/\(8 / side), \(threads) threads, \(sliceByteCount)")
                }
            }
        }
    }

    @Test("Rows above damage are libjpeg's, for any number of threads")
    func damage() throws {
        var random = SeededGenerator(22)
        var damages = 0
        for round in 0..<60 {
            let size = PixelSize(width: 160, height: 120)
            var file = JPEGFixture.file(
                JPEGFixture.Kind(
                    subsampling: JPEGSampleRowsTests.samplings[round % 7], restartRows: round % 2 == 0 ? 0 : 1,
                    size: size))
            let start = JPEGStructure(of: file.span.bytes).scans[0].dataOffset
            let place = Int.random(in: start..<(file.count - 2), using: &random)
            file[place] = UInt8.random(in: 0...255, using: &random)
            if round % 5 == 4 { file = Array(file[..<place]) }
            let (decoder, _) = JPEGShimTests.start(file, pixels: TESSERA_JPEG_PIXELS_RGBA8, scale: 8)
            defer { tessera_jpeg_decoder_destroy(decoder) }
            var expected = [UInt8](repeating: 0, count: size.pixelCount * 4)
            var rows = UInt32(0)
            _ = tessera_jpeg_decoder_read_rows(decoder, &expected, size.width * 4, UInt32(size.height), &rows)
            for threads in [1, 2, 3, 8] {
                let made = try Self.decode(file, side: 8, threads: threads, sliceByteCount: 400)
                #expect(made.pixels.elementsEqual(expected.prefix(made.pixels.count)), "round \(round), \(threads)")
                if made.isDamaged { damages += 1 }
            }
        }
        #expect(damages > 60)
    }

    /// Options under which libjpeg decodes, for want of memory for slices.
    private static var withoutSlices: DecodingOptions {
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumWorkingByteCount = 1 << 10
        return options
    }

    private static let largeSize = PixelSize(width: 1001, height: 533)

    @Test("A large file has libjpeg's rows and errors, however its bytes arrive and wherever it is damaged")
    func largeFiles() throws {
        var random = SeededGenerator(23)
        for round in 0..<12 {
            let kind = JPEGFixture.Kind(
                pixels: round % 6 == 5 ? TESSERA_JPEG_PIXELS_CMYK8 : TESSERA_JPEG_PIXELS_RGBA8,
                subsampling: round % 6 == 5 ? (1, 1) : JPEGSampleRowsTests.samplings[round % 4],
                restartRows: round % 3 == 2 ? 1 : 0, size: Self.largeSize)
            var file = JPEGFixture.file(kind)
            if round > 2 {
                let place = Int.random(in: 1000..<(file.count - 2), using: &random)
                file[place] = UInt8.random(in: 0...255, using: &random)
                if round % 4 == 3 { file = Array(file[..<place]) }
            }
            var plan = DecodingPlan.full
            if round % 2 == 1 { plan.region = PixelRect(x: 37, y: 95, width: 800, height: 400) }
            let expected = DecoderSession(JPEGCodec(), file, plan: plan, options: Self.withoutSlices)
            for splits in [[], Array(stride(from: 50_000, to: file.count, by: 50_000))] {
                let session = DecoderSession(JPEGCodec(), file, splits: splits, plan: plan)
                #expect(session.error?.code == expected.error?.code, "round \(round)")
                #expect(session.error?.message == expected.error?.message, "round \(round)")
                #expect(session.error?.byteOffset == expected.error?.byteOffset, "round \(round)")
                #expect(session.rows == expected.rows, "round \(round)")
                #expect(session.bitmap?.tightBytes() == expected.bitmap?.tightBytes(), "round \(round)")
            }
        }
    }

    @Test("A file has the rows and errors that its bytes have as they arrive, read from a file and from memory")
    func sources() throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(24)
        for round in 0..<6 {
            let size = PixelSize(width: 1501, height: 733)
            var file = JPEGFixture.file(
                JPEGFixture.Kind(subsampling: JPEGSampleRowsTests.samplings[round % 3], size: size))
            // More than a source lends at a time, so that the damage is in bytes that weren't appended.
            try #require(file.count > 400_000)
            let place = Int.random(in: 300_000..<(file.count - 2), using: &random)
            if round % 3 == 1 { file[place] ^= 0x55 }
            if round % 3 == 2 { file = Array(file[..<place]) }
            var plan = DecodingPlan.full
            if round > 2 { plan.region = PixelRect(x: 37, y: 95, width: 1200, height: 600) }
            let expected = DecoderSession(JPEGCodec(), file, plan: plan, options: Self.withoutSlices)
            for source in [try Source(path: folder.write(file, to: "photo.jpg")), Source(file)] {
                for count in [16, 150, size.height] {
                    let made = try Self.decode(source, plan, rowsAtOnce: count)
                    #expect(made.error == expected.error, "round \(round), \(count) rows")
                    #expect(made.rows == expected.rows, "round \(round), \(count) rows")
                    #expect(made.bitmap?.tightBytes() == expected.bitmap?.tightBytes(), "round \(round), \(count) rows")
                }
            }
        }
    }

    @Test("A reader may have read the bytes before the image")
    func offset() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 1501, height: 733)))
        var first = 0
        // As many as a source lends at a time.
        _ = try Source([UInt8](repeating: 7, count: 1 << 20)).reader().nextBytes { first = $0.byteCount }
        let reader = Source([UInt8](repeating: 7, count: first) + file).reader()
        _ = try reader.nextBytes { _ in }
        let options = DecodingOptions(color: .asStored)
        let bitmap = try ImageRowSource(reader, options: options).makeBitmap()
        #expect(bitmap.tightBytes() == DecoderSession(JPEGCodec(), file).bitmap?.tightBytes())
    }

    /// The rows of a source as stored, read some at a time.
    private static func decode(
        _ source: Source, _ plan: DecodingPlan, rowsAtOnce: Int
    ) throws -> (bitmap: Bitmap?, rows: Int, error: ImageError?) {
        let rows = try ImageRowSource(source, plan: plan, options: DecodingOptions(color: .asStored))
        let size = rows.info.size
        var bitmap = try MutableBitmap(rows.info)
        var (y, failure) = (0, ImageError?.none)
        do throws(ImageError) {
            while y < size.height {
                y += try bitmap.withMutableRows(y..<min(y + rowsAtOnce, size.height)) { (target) throws(ImageError) in
                    try rows.read(into: &target)
                }
            }
            try rows.finish()
        } catch {
            failure = error
        }
        let part = PixelRect(x: 0, y: 0, width: size.width, height: y)
        return (y == 0 ? nil : try bitmap.freeze().cropped(to: part), y, failure)
    }

    @Test("A large file's planes are libjpeg's, and so are those of a damaged one")
    func planes() throws {
        for round in 0..<4 {
            var file = JPEGFixture.file(
                JPEGFixture.Kind(subsampling: JPEGSampleRowsTests.samplings[round], size: Self.largeSize))
            if round == 3 { file = Array(file[..<(file.count * 2 / 3)]) }
            var results: [([[UInt8]], ImageError?)] = []
            for options in [DecodingOptions(color: .asStored), Self.withoutSlices] {
                let source = try JPEGPlanarSource(Source(file).reader(), options: options)
                do {
                    let (planes, _) = try source.readPlanes()
                    try source.finish()
                    results.append((planes.map(\.samples), nil))
                } catch let error as ImageError {
                    results.append(([], error))
                }
            }
            #expect(results[0].0 == results[1].0 && results[0].1 == results[1].1, "round \(round)")
            #expect((results[0].1 != nil) == (round == 3))
        }
    }

    @Test("A file longer than the limit for input is decoded by libjpeg, which keeps no bytes")
    func longFile() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(size: Self.largeSize))
        let whole = DecoderSession(JPEGCodec(), file).bitmap
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumInputByteCount = file.count / 2
        let session = DecoderSession(
            JPEGCodec(), file, splits: Array(stride(from: 20_000, to: file.count, by: 20_000)), options: options)
        #expect(session.error == nil && session.bitmap?.tightBytes() == whole?.tightBytes())
    }
}
