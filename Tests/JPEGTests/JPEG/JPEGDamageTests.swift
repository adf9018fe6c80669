import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG damage")
struct JPEGDamageTests {
    @Test("A truncated file gives its rows and the error", arguments: JPEGFixture.kinds.filter { $0.size.height == 61 })
    func truncated(kind: JPEGFixture.Kind) throws {
        let file = JPEGFixture.file(kind)
        let whole = try #require(DecoderSession(JPEGCodec(), file).bitmap)
        var rows: [Int] = []
        for end in stride(from: 0, to: file.count - 2, by: max(1, file.count / 60)) {
            let session = DecoderSession(JPEGCodec(), Array(file[..<end]))
            #expect(!session.isComplete)
            #expect(session.error?.code == .truncated, "\(end) of \(file.count): \(String(describing: session.error))")
            #expect(session.rows == 0 || session.error?.byteOffset == end)
            rows.append(session.rows)
            // The last MCU row may be there in part, and upsampling looks one row further.
            let good = kind.isProgressive ? 0 : max(0, session.rows - 33)
            let region = PixelRect(x: 0, y: 0, width: 75, height: max(1, good))
            guard good > 0, let bitmap = session.bitmap else { continue }
            #expect(try bitmap.cropped(to: region).tightBytes() == whole.cropped(to: region).tightBytes())
        }
        #expect(rows == rows.sorted() && rows.last == 61, "\(rows)")
    }

    @Test("A missing end marker loses nothing")
    func missingEnd() throws {
        for kind in JPEGFixture.kinds {
            let session = DecoderSession(JPEGCodec(), JPEGFixture.file(kind).dropLast(2))
            #expect(session.isComplete && session.error == nil, "\(kind)")
        }
    }

    @Test("Missing rows stay black")
    func missingRows() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 64, height: 300)))
        let decoded = try ImageSource.decode(
            Array(file[..<(file.count / 2)]), options: DecodingOptions(color: .asStored),
            registry: CodecRegistry([JPEGCodec()]))
        #expect(decoded.error?.code == .truncated)
        let rows = decoded.bitmap.rows
        #expect(rows.row(100, as: RGBA8.self)[5] != RGBA8(0, 0, 0))
        for y in 200..<300 { #expect(rows.row(y, as: RGBA8.self)[5] == RGBA8(0, 0, 0)) }
    }

    @Test("Damage within the data is reported after the last row, with its offset")
    func damaged() throws {
        var file = JPEGFixture.file(JPEGFixture.Kind(restartRows: 1, size: PixelSize(width: 64, height: 128)))
        // The third restart marker with the seventh's number.
        let marker = try #require((0..<(file.count - 1)).first { file[$0] == 0xFF && file[$0 + 1] == 0xD2 })
        file[marker + 1] = 0xD6
        let session = DecoderSession(JPEGCodec(), file)
        #expect(session.rows == 128)
        #expect(session.error?.code == .corrupt)
        let offset = try #require(session.error?.byteOffset)
        #expect(abs(offset - marker) <= 2)
    }

    @Test("A second frame header ends the image and changes nothing in it", arguments: [1, 2, 4, 8])
    func secondFrame(shrinking: Int) throws {
        var file = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true))
        let scans = (0..<(file.count - 1)).filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        // Grey, and of another size, before the third scan.
        file.insert(contentsOf: [0xFF, 0xC2, 0, 11, 8, 0, 9, 0, 200, 1, 1, 0x11, 0], at: scans[2])
        let plan = DecodingPlan(
            targetSize: PixelSize(width: 75 / shrinking / 2, height: 61 / shrinking / 2))
        func decode(_ end: Int) throws -> DecodedImage {
            try ImageSource.decode(Array(file[..<end]), plan: plan, registry: CodecRegistry([JPEGCodec()]))
        }
        let before = try decode(scans[2])
        for end in [file.count, scans[2] + 11, scans[2] + 5] {
            let after = try decode(end)
            #expect(after.error != nil)
            let isUnchanged = after.bitmap.tightBytes() == before.bitmap.tightBytes()
            #expect(isUnchanged)
        }
    }

    @Test(
        "Bytes without an image are refused",
        arguments: [
            ([], ImageError.Code.truncated), ([0xFF, 0xD8, 0xFF, 0xD9], .corrupt), ([0xFF, 0xD8, 0xFF], .truncated),
            ([0xFF, 0xD8, 0xFF, 0xE1, 0xFF], .truncated), ([0xFF, 0xD8, 0xFF, 0xE1, 0, 1, 0xFF, 0xD9], .corrupt),
            ([0, 1, 2, 3], .corrupt),
            // Lossless and arithmetic (SOF11), and no lines.
            ([0xFF, 0xD8, 0xFF, 0xCB, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0], .unsupported),
            ([0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 0, 0, 8, 1, 1, 0x11, 0], .corrupt),
        ] as [([UInt8], ImageError.Code)])
    func refused(bytes: [UInt8], code: ImageError.Code) {
        let session = DecoderSession(JPEGCodec(), bytes)
        #expect(session.header == nil)
        #expect(session.error?.code == code, "\(String(describing: session.error))")
    }

    @Test(
        "A file truncated between scans keeps the scans before it",
        arguments: [
            // A second frame of another shape, a Huffman table beyond all, a second start, a scan of no component.
            [0xFF, 0xC2, 0, 11, 8, 0, 21, 0, 37, 1, 1, 0x11, 0],
            [0xFF, 0xC4, 0, 19, 0x77] + [UInt8](repeating: 255, count: 16),
            [0xFF, 0xD8], [0xFF, 0xDA, 0, 6, 0, 0, 63, 0], [0xFF, 0xC0, 0, 17, 8, 255, 255, 255, 255, 3],
        ] as [[UInt8]])
    func brokenOff(segment: [UInt8]) throws {
        for kind in JPEGFixture.kinds where kind.isProgressive {
            let file = JPEGFixture.file(kind)
            func position(of marker: UInt8, from start: Int) -> Int? {
                (start..<(file.count - 1)).first { file[$0] == 0xFF && file[$0 + 1] == marker }
            }
            let scan = try #require(position(of: 0xDA, from: 0))
            let table = try #require(position(of: 0xC4, from: scan))
            for delivery in [PassDelivery.last, .every] {
                let session = DecoderSession(
                    JPEGCodec(), Array(file[..<table]) + segment + file[table...], delivery: delivery)
                #expect(session.rows == 61)
                #expect(session.error?.code == .corrupt)
                #expect(session.error?.byteOffset.map { abs($0 - table) < 64 } == true)
            }
        }
    }

    @Test("Limits are checked before memory is allocated")
    func limits() throws {
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumPixelCount = 75 * 61 - 1
        let baseline = JPEGFixture.file(JPEGFixture.Kind())
        #expect(DecoderSession(JPEGCodec(), baseline, options: options).error?.code == .limitExceeded)
        options.limits = .standard
        options.limits.maximumSideLength = 74
        #expect(DecoderSession(JPEGCodec(), baseline, options: options).error?.code == .limitExceeded)

        let progressive = JPEGFixture.file(JPEGFixture.Kind(isProgressive: true))
        options.limits = .standard
        options.limits.maximumScanCount = 9
        #expect(DecoderSession(JPEGCodec(), progressive, options: options).error?.code == .limitExceeded)
        options.limits.maximumScanCount = 10
        #expect(DecoderSession(JPEGCodec(), progressive, options: options).error == nil)
        // Numbers that are negative in 32 bits, and too large for them.
        for count in [1 << 31, 1 << 32, .max] {
            options.limits.maximumScanCount = count
            #expect(DecoderSession(JPEGCodec(), progressive, options: options).error == nil)
        }
        options.limits.maximumWorkingByteCount = 10000
        #expect(DecoderSession(JPEGCodec(), progressive, options: options).error?.code == .limitExceeded)
        #expect(DecoderSession(JPEGCodec(), baseline, options: options).error == nil)
        options.limits = .standard
        options.limits.maximumInputByteCount = 1000
        #expect(DecoderSession(JPEGCodec(), baseline, options: options).error?.code == .limitExceeded)
        // What was possible by then is still to be had.
        #expect(
            DecoderSession(JPEGCodec(), baseline, splits: [1500, 1501], options: options).error?.code == .limitExceeded)
        let pieces = Array(stride(from: 200, to: baseline.count, by: 200))
        #expect(DecoderSession(JPEGCodec(), baseline, splits: pieces, options: options).error == nil)
    }

    @Test("Changed bytes never trap, and give the same for any split")
    func mutations() throws {
        var random = SeededGenerator(3)
        for round in 0..<600 {
            var file = JPEGFixture.file(JPEGFixture.kinds[round % JPEGFixture.kinds.count])
            for _ in 0..<(1 << Int.random(in: 0..<5, using: &random)) {
                // Half of the changes hit the headers.
                let range = Bool.random(using: &random) ? 0..<min(620, file.count) : 0..<file.count
                file[Int.random(in: range, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var options = DecodingOptions(color: .asStored)
            options.limits.maximumPixelCount = 1 << 22
            let whole = DecoderSession(JPEGCodec(), file, options: options)
            let pieces = Array(stride(from: 50, to: file.count, by: 50))
            let split = DecoderSession(JPEGCodec(), file, splits: pieces, options: options)
            #expect(whole.error?.code == split.error?.code, "round \(round)")
            #expect(whole.bitmap?.tightBytes() == split.bitmap?.tightBytes(), "round \(round)")
            let plan = DecodingPlan(targetSize: PixelSize(width: 10, height: 7))
            _ = DecoderSession(JPEGCodec(), file, splits: pieces, plan: plan, delivery: .every, options: options)
        }
    }
}
