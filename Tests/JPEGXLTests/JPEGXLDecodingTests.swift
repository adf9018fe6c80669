#if JPEGXL
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG XL decoding")
struct JPEGXLDecodingTests {
    private static func identify(_ bytes: [UInt8], isWhole: Bool = false) -> FormatMatch {
        JPEGXLCodec().identify(
            isWhole ? FormatProbe(whole: bytes.span.bytes) : FormatProbe(streamPrefix: bytes.span.bytes))
    }

    @Test("Files are identified by their first bytes")
    func signatures() throws {
        #expect(Self.identify([0xFF]) == .needMoreData(minimum: 2))
        #expect(Self.identify([0, 0, 0]) == .needMoreData(minimum: 12))
        #expect(Self.identify([0xFF, 0xD8]) == .unknown)
        #expect(Self.identify([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0B]) == .unknown)
        #expect(Self.identify([0xFF, 0x0A], isWhole: true) == .match(.jpegXL))
        #expect(Self.identify([], isWhole: true) == .unknown)
    }

    @Test("Every prefix is identified correctly, and animations are distinguished from still images")
    func beginnings() throws {
        let frame = try JPEGXLFixture.bitmap(.rgba8, 9, 7)
        let still = try JPEGXLFixture.file(frame)
        let animation = try JPEGXLFixture.animation([frame, frame], durations: [0.1, 0.1])
        let exif = ("Exif", [0, 0, 0, 0] + JPEGXLFixture.exif(1))
        let files: [([UInt8], FormatTraits)] = [
            (still, []), (animation, .animated), (JPEGXLFixture.boxed(animation), .animated),
            (JPEGXLFixture.boxed(animation, parts: 3, before: [exif]), .animated),
            (JPEGXLFixture.boxed(still, before: [exif]), []),
        ]
        for (file, traits) in files {
            for count in 2..<min(file.count, 200) {
                switch Self.identify(Array(file.prefix(count))) {
                case .needMoreData(let minimum): #expect(minimum > count)
                case .match(let format, let found): #expect(format == .jpegXL && found == traits)
                case .unknown: Issue.record("\(count) bytes are unknown")
                }
            }
            #expect(Self.identify(file, isWhole: true) == .match(.jpegXL, traits))
        }
    }

    @Test("A 16-bit image decodes to the requested depth")
    func depths() throws {
        let deep = try JPEGXLFixture.bitmap(.rgba16, 40, 30, alpha: .straight)
        let file = try JPEGXLFixture.file(deep, EncodingOptions(isLossless: true))
        let full = DecoderSession(JPEGXLCodec(), file, options: DecodingOptions(maximumBitsPerChannel: 16))
        #expect(full.bitmap?.tightBytes() == deep.tightBytes())
        #expect(full.header?.bitsPerChannel == 16 && full.header?.hasAlpha == true)
        let reduced = DecoderSession(JPEGXLCodec(), file)
        #expect(reduced.info?.format == .rgba8)
        #expect(reduced.bitmap?.storedSamples == deep.storedSamples.atEightBits)
    }

    @Test("A region is the same part of the whole")
    func region() throws {
        for alpha in [AlphaMode.none, .straight] {
            let bitmap = try JPEGXLFixture.bitmap(.rgba8, 300, 280, alpha: alpha)
            let file = try JPEGXLFixture.file(bitmap, EncodingOptions(isLossless: true))
            let region = PixelRect(x: 250, y: 3, width: 50, height: 270)
            let session = DecoderSession(JPEGXLCodec(), file, plan: DecodingPlan(region: region))
            #expect(session.bitmap?.tightBytes() == (try bitmap.cropped(to: region)).tightBytes())
        }
    }

    /// Decodes into the picture's own memory, as the session doesn't, which asks for rows before the end.
    @Test(
        "An image that has arrived decodes to what strips of it hold, and a truncated one as far",
        arguments: [100, 90, 40])
    func inPlace(percent: Int) throws {
        let pictures: [(Bitmap, Bool)] = try [
            (JPEGXLFixture.valley, false), (JPEGXLFixture.bitmap(.rgba8, 301, 280), true),
            (JPEGXLFixture.bitmap(.rgba8, 301, 280, alpha: .straight), false),
            (JPEGXLFixture.bitmap(.gray8, 270, 300), true), (JPEGXLFixture.bitmap(.rgba16, 70, 300), true),
            (JPEGXLFixture.bitmap(.gray16, 270, 300), false),
        ]
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        for (bitmap, isLossless) in pictures {
            let file = try JPEGXLFixture.file(bitmap, EncodingOptions(isLossless: isLossless))
            let cut = Array(file.prefix(file.count * percent / 100))
            for region in [nil, PixelRect(x: 3, y: 5, width: 60, height: 270)] {
                let plan = DecodingPlan(region: region)
                let strips = DecoderSession(JPEGXLCodec(), cut, plan: plan, options: options)
                let whole = try? ImageSource.decode(cut, plan: plan, options: options)
                #expect(whole?.error?.code == (strips.rows > 0 ? strips.error?.code : nil))
                guard let stripRows = strips.bitmap, let rows = whole?.bitmap else {
                    #expect(strips.bitmap == nil && whole == nil)
                    continue
                }
                let byteCount = stripRows.tightBytes().count
                #expect(rows.tightBytes().prefix(byteCount).elementsEqual(stripRows.tightBytes()))
                // The rest is blank, whatever the memory held before.
                let blank: [UInt8] = bitmap.info.alpha.hasAlpha ? [0] : [0, 255]
                #expect(rows.tightBytes().dropFirst(byteCount).allSatisfy { blank.contains($0) })
            }
        }
    }

    @Test("Rows come before the file is complete")
    func incremental() throws {
        let bitmap = try JPEGXLFixture.bitmap(.rgba8, 260, 600)
        let file = try JPEGXLFixture.file(bitmap, EncodingOptions(isLossless: true))
        let session = DecoderSession(JPEGXLCodec(), file, splits: Array(stride(from: 500, to: file.count, by: 500)))
        let first = try #require(session.firstRowByteCount)
        #expect(first < file.count * 3 / 4)
        #expect(session.bitmap?.tightBytes() == bitmap.tightBytes())
    }

    @Test("A lossy image is coarse first, for any split")
    func previews() throws {
        let file = try JPEGXLFixture.file(JPEGXLFixture.valley)
        let whole = DecoderSession(JPEGXLCodec(), file, delivery: .every)
        #expect(whole.header?.isProgressive == true)
        try #require(!whole.passes.isEmpty && whole.isComplete)
        #expect(whole.passes == Array(1...whole.passes.count))
        let final = try #require(whole.bitmap).tightBytes()
        let coarse = whole.passBitmaps[0].tightBytes()
        #expect(coarse != final)
        // A blur of the same picture: nearer to it than grey is.
        let error = zip(coarse, final).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        let contrast = final.reduce(0) { $0 + abs(Int($1) - 128) }
        #expect(error * 4 < contrast)
        let last = DecoderSession(JPEGXLCodec(), file)
        #expect(last.bitmap?.tightBytes() == final && last.passes.isEmpty)
        for step in [1, 777, 5000] {
            let split = DecoderSession(
                JPEGXLCodec(), file, splits: Array(stride(from: step, to: file.count, by: step)), delivery: .every)
            #expect(split.passBitmaps.map { $0.tightBytes() } == whole.passBitmaps.map { $0.tightBytes() })
            #expect(split.bitmap?.tightBytes() == final)
            #expect(split.header == whole.header)
            #expect(step > 777 || split.firstRowByteCount! < file.count / 2)
        }
    }

    @Test(
        "A truncated file gives its pixels, then the error", arguments: [PassDelivery.last, .every], [false, true])
    func truncation(delivery: PassDelivery, isLossless: Bool) throws {
        let bitmap = try isLossless ? JPEGXLFixture.bitmap(.rgba8, 260, 600) : JPEGXLFixture.valley
        let file = try JPEGXLFixture.file(bitmap, EncodingOptions(isLossless: isLossless))
        let final = try #require(DecoderSession(JPEGXLCodec(), file).bitmap)
        var mostRows = 0
        for percent in stride(from: 5, to: 100, by: 10) {
            let count = file.count * percent / 100
            let cut = Array(file.prefix(count))
            let session = DecoderSession(JPEGXLCodec(), cut, delivery: delivery)
            #expect(session.error?.code == .truncated && !session.isComplete)
            mostRows = max(mostRows, session.rows)
            let split = DecoderSession(
                JPEGXLCodec(), cut, splits: Array(stride(from: 100, to: count, by: 100)), delivery: delivery)
            #expect(split.rows == session.rows && split.passes == session.passes)
            #expect(split.passBitmaps.map { $0.tightBytes() } == session.passBitmaps.map { $0.tightBytes() })
            #expect(split.bitmap?.tightBytes() == session.bitmap?.tightBytes())
            guard isLossless, session.rows > 0 else { continue }
            let byteCount = final.info.rowByteCount * session.rows
            #expect(session.bitmap!.tightBytes().prefix(byteCount) == final.tightBytes().prefix(byteCount))
        }
        #expect(mostRows > 0)
        for count in 0..<20 {
            #expect(DecoderSession(JPEGXLCodec(), Array(file.prefix(count))).error != nil)
        }
    }

    @Test("Metadata is found before and after the image, in one box or several")
    func metadata() throws {
        let bitmap = try JPEGXLFixture.bitmap(.gray8, 20, 10)
        let file = try JPEGXLFixture.file(bitmap, EncodingOptions(isLossless: true))
        let (exif, xmp) = (JPEGXLFixture.exif(6), Array("<x:xmpmeta/>".utf8))
        let boxes: [(String, [UInt8])] = [("Exif", [0, 0, 0, 0] + exif), ("free", [1, 2, 3]), ("xml ", xmp)]
        for whole in [JPEGXLFixture.boxed(file, before: boxes), JPEGXLFixture.boxed(file, parts: 4, after: boxes)] {
            for splits in [[], Array(1..<whole.count)] {
                let session = DecoderSession(JPEGXLCodec(), whole, splits: splits)
                #expect(session.isComplete && session.error == nil)
                #expect(session.header?.metadata.exif == exif)
                #expect(session.header?.metadata.xmp == xmp)
                // The codestream says how a picture is turned, and EXIF doesn't.
                #expect(session.header?.metadata.orientation == .up)
                #expect(session.bitmap?.tightBytes() == bitmap.tightBytes())
            }
        }
    }

    @Test("Metadata beyond the limit is left out")
    func metadataLimit() throws {
        let file = try JPEGXLFixture.file(try JPEGXLFixture.bitmap(.gray8, 20, 10))
        let boxed = JPEGXLFixture.boxed(
            file,
            before: [("Exif", [0, 0, 0, 0] + JPEGXLFixture.exif(1)), ("xml ", [UInt8](repeating: 32, count: 5000))])
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumMetadataByteCount = 4999
        let session = DecoderSession(JPEGXLCodec(), boxed, options: options)
        #expect(session.isComplete && session.error == nil)
        #expect(session.header?.metadata.exif != nil && session.header?.metadata.xmp == nil)
        options.limits.maximumMetadataByteCount = 5000
        #expect(DecoderSession(JPEGXLCodec(), boxed, options: options).header?.metadata.xmp?.count == 5000)
    }

    @Test(
        "Malformed EXIF is ignored",
        arguments: [[], [0, 0, 0], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 1], [0, 0, 0, 1, 7]])
    func brokenMetadata(content: [UInt8]) throws {
        let file = try JPEGXLFixture.file(try JPEGXLFixture.bitmap(.gray8, 20, 10))
        let session = DecoderSession(JPEGXLCodec(), JPEGXLFixture.boxed(file, before: [("Exif", content)]))
        #expect(session.isComplete && session.header?.metadata.exif == nil)
    }

    @Test("Limits are checked before memory is allocated")
    func limits() throws {
        #expect(DecoderSession(JPEGXLCodec(), JPEGXLFixture.enormousHeader).error?.code == .limitExceeded)
        #expect(errorCode { try JPEGXL.jpegData(from: JPEGXLFixture.enormousHeader) } == .limitExceeded)
        let file = try JPEGXLFixture.file(try JPEGXLFixture.bitmap(.rgba8, 100, 50))
        let changes: [(inout DecodingLimits) -> Void] = [
            { $0.maximumPixelCount = 4999 }, { $0.maximumSideLength = 99 }, { $0.maximumWorkingByteCount = 20000 },
            { $0.maximumInputByteCount = file.count - 1 },
        ]
        for change in changes {
            var options = DecodingOptions()
            change(&options.limits)
            let session = DecoderSession(JPEGXLCodec(), file, options: options)
            #expect(session.error?.code == .limitExceeded && session.rows == 0)
        }
    }

    @Test("A file smaller than the compression ratio allows is refused")
    func bomb() throws {
        let size = PixelSize(width: 4100, height: 4100)
        let flat = try MutableBitmap(BitmapInfo(size: size, format: .rgba8)).freeze()
        let file = try JPEGXLFixture.file(flat, EncodingOptions(isLossless: true))
        var strict = DecodingOptions()
        strict.limits.maximumCompressionRatio = 10_000
        let session = DecoderSession(JPEGXLCodec(), file, options: strict)
        #expect(file.count < 6000 && session.error?.code == .limitExceeded && session.rows == 0)
        #expect(DecoderSession(JPEGXLCodec(), file).isComplete)
    }

    @Test("Damage is an error, never a trap")
    func damage() throws {
        var options = EncodingOptions()
        options.metadata.xmp = Array("<x:xmpmeta/>".utf8)
        let file = try JPEGXLFixture.file(try JPEGXLFixture.bitmap(.rgba8, 60, 50, alpha: .straight), options)
        var random = SeededGenerator(7)
        for _ in 0..<60 {
            var damaged = file
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let session = DecoderSession(JPEGXLCodec(), damaged)
            #expect(session.isComplete || session.error != nil)
        }
    }

    @Test(
        "Compressed metadata of cjxl's files is read", .needs(DJXL.djxl, DJXL.cjxl)
    )
    func packedMetadata() throws {
        let xmp = Array("<x:xmpmeta>".utf8) + [UInt8](repeating: 32, count: 3000) + Array("</x:xmpmeta>".utf8)
        let metadata = ImageMetadata(exif: JPEGXLFixture.exif(3), xmp: xmp)
        let jpeg = try ImageDestination(format: .jpeg, options: EncodingOptions(metadata: metadata))
            .encode(try JPEGXLFixture.bitmap(.rgba8, 64, 48))
        let file = try #require(
            try DJXL.encode(jpeg, named: "in.jpg", arguments: ["--lossless_jpeg=1"]))
        let header = try #require(DecoderSession(JPEGXLCodec(), file).header)
        #expect(header.metadata.xmp == xmp)
        #expect(header.metadata.exif != nil)
        #expect(header.metadata.orientation == Orientation(rawValue: 3) || header.metadata.orientation == .up)
    }
}
#endif
