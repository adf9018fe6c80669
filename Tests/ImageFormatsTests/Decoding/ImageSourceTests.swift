import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Decoding")
struct ImageSourceTests {
    private let bitmap: Bitmap
    private let file: [UInt8]

    init() throws {
        bitmap = try .pattern(11, 9)
        file = RowsHead(bitmap.info).file([bitmap])
    }

    /// Feeds `file` in pieces and tells what happened.
    private func feed(
        _ file: [UInt8], to source: ImageSource, by count: Int
    ) throws -> [DecodingEvent] {
        var events: [DecodingEvent] = []
        for start in stride(from: 0, to: file.count, by: count) {
            events += try source.append(Array(file[start..<min(file.count, start + count)]))
        }
        return events + (try source.finish())
    }

    /// A file of several passes over different pixels, and these.
    private func file(passCount: Int) throws -> (bytes: [UInt8], passes: [Bitmap]) {
        let passes = try (0..<passCount).map { try Bitmap.pattern(6, 5, .gray8, alpha: .none, seed: $0) }
        var head = RowsHead(passes[0].info)
        head.passCount = passCount
        return (head.file(passes), passes)
    }

    private func withoutRows(_ events: [DecodingEvent]) -> [DecodingEvent] {
        events.filter { if case .rows = $0 { false } else { true } }
    }

    @Test("Every split of the bytes gives the same image", arguments: [1, 2, 7, 44, 1000], [true, false])
    func anySplitGivesTheSamePicture(_ count: Int, deliversPreviews: Bool) throws {
        let source = ImageSource(deliversPreviews: deliversPreviews, registry: .rows)
        let events = try feed(file, to: source, by: count)
        #expect(source.isComplete && source.error == nil)
        #expect(withoutRows(events) == [.header(try #require(source.header)), .complete])
        #expect(events.last == .complete)
        let rows = events.compactMap { if case .rows(let row) = $0 { row } else { nil } }
        #expect(rows == rows.sorted() && Set(rows).count == rows.count && rows.last == 9)
        let result = try #require(try source.currentBitmap())
        #expect(result.info == bitmap.info)
        #expect(result.tightBytes() == bitmap.tightBytes())
        // A finished source stays as it is.
        #expect(try source.finish() == [])
        #expect(try source.currentBitmap()?.tightBytes() == bitmap.tightBytes())
    }

    @Test("Rows are available as soon as their bytes are")
    func rowsAreThereAsSoonAsTheirBytesAre() throws {
        let source = ImageSource(registry: .rows)
        let rowByteCount = bitmap.info.rowByteCount
        #expect(try source.append(Array(file[..<19])) == [])
        #expect(try source.currentBitmap() == nil)
        #expect(source.header == nil)
        #expect(try source.append(Array(file[19..<(20 + 3 * rowByteCount)])).last == .rows(upTo: 3))
        let preview = try #require(try source.currentBitmap())
        let (have, want) = (preview.tightBytes(), bitmap.tightBytes())
        #expect(have.prefix(3 * rowByteCount) == want.prefix(3 * rowByteCount))
        // Rows that aren't there are transparent.
        #expect(have.dropFirst(3 * rowByteCount).allSatisfy { $0 == 0 })
        #expect(!source.isComplete)
        #expect(try source.append(Array(file[(20 + 3 * rowByteCount)...])) == [.rows(upTo: 9), .complete])
        // The preview is a copy of its own.
        #expect(preview.tightBytes() == have)
    }

    @Test("Missing rows of an opaque image are black", arguments: [PixelFormat.gray8, .gray16, .rgba8, .rgba16])
    func missingRowsOfAnOpaquePictureAreBlack(_ format: PixelFormat) throws {
        let bitmap = try Bitmap.pattern(5, 4, format, alpha: .none)
        // Memory that was used before doesn't show through.
        for _ in 0..<3 { _ = try Bitmap.pattern(5, 4, format) }
        let source = ImageSource(registry: .rows)
        try source.append(Array(RowsHead(bitmap.info).file([bitmap]).prefix(20 + bitmap.info.rowByteCount)))
        let rest = try #require(try source.currentBitmap()).tightBytes().dropFirst(bitmap.info.rowByteCount)
        for (index, byte) in rest.enumerated() {
            let isAlpha = !format.isGray && index % format.bytesPerPixel >= format.bytesPerPixel * 3 / 4
            #expect(byte == (isAlpha ? 255 : 0))
        }
    }

    @Test("Every pass is shown", arguments: [1, 30, 5000])
    func everyPassIsShown(_ count: Int) throws {
        let (file, passes) = try file(passCount: 3)

        let source = ImageSource(registry: .rows)
        let events = withoutRows(try feed(file, to: source, by: count))
        #expect(events == [.header(try #require(source.header)), .pass(1), .pass(2), .pass(3), .complete])
        #expect(try source.currentBitmap()?.tightBytes() == passes[2].tightBytes())

        // With the first pass and half of the second: the top is the second's, the rest the first's.
        let partial = ImageSource(registry: .rows)
        try partial.append(Array(file.prefix(20 + 30 + 12)))
        let bytes = try #require(try partial.currentBitmap()).tightBytes()
        #expect(bytes == Array(passes[1].tightBytes().prefix(12) + passes[0].tightBytes().dropFirst(12)))

        // Without previews there is one pass, the last.
        let last = ImageSource(deliversPreviews: false, registry: .rows)
        #expect(withoutRows(try feed(file, to: last, by: count)) == [.header(try #require(last.header)), .complete])
        #expect(try last.currentBitmap()?.tightBytes() == passes[2].tightBytes())
    }

    @Test("An image that was handed out stays as it was", arguments: [1, 7, 12, 30, 31])
    func handedOutImagesStay(_ count: Int) throws {
        let file = try file(passCount: 5).bytes
        let source = ImageSource(registry: .rows)
        var shown: [(bitmap: Bitmap, bytes: [UInt8])] = []
        for (index, start) in stride(from: 0, to: file.count, by: count).enumerated() {
            let end = min(file.count, start + count)
            try source.append(Array(file[start..<end]))
            // One that hasn't been asked before.
            let other = ImageSource(registry: .rows)
            try other.append(Array(file[..<end]))
            let bitmap = try source.currentBitmap()
            let expected = try other.currentBitmap()?.tightBytes()
            #expect(bitmap?.tightBytes() == expected)
            #expect(try source.currentBitmap()?.tightBytes() == expected)
            // The memory of those that nobody has is used again.
            if index % 3 < 2, let bitmap, let expected { shown.append((bitmap, expected)) }
        }
        #expect(source.isComplete && shown.count > 2)
        for (bitmap, bytes) in shown { #expect(bitmap.tightBytes() == bytes) }
    }

    @Test("A decoder may start over with another image", arguments: [1, 30, 5000])
    func aPictureMayTurnOutToBeAnother(_ count: Int) throws {
        let opaque = try Bitmap.pattern(6, 5, .rgba8, alpha: .none)
        let final = try Bitmap.pattern(6, 5, .rgba8, alpha: .straight, seed: 3)
        var head = RowsHead(final.info)
        (head.passCount, head.restarts) = (2, true)
        let source = ImageSource(registry: .rows)
        let file = head.file([opaque, final])
        try source.append(Array(file.prefix(20 + 120)))
        #expect(try source.currentBitmap()?.info == opaque.info)
        #expect(try source.currentBitmap()?.tightBytes() == opaque.tightBytes())
        for start in stride(from: 140, to: file.count, by: count) {
            try source.append(Array(file[start..<min(file.count, start + count)]))
        }
        try source.finish()
        #expect(try source.currentBitmap()?.info == final.info)
        #expect(try source.currentBitmap()?.tightBytes() == final.tightBytes())
    }

    @Test("Images are upright", arguments: Orientation.allCases, [true, false])
    func picturesStandUpright(_ orientation: Orientation, applies: Bool) throws {
        var head = RowsHead(bitmap.info)
        head.orientation = orientation
        let options = DecodingOptions(appliesOrientation: applies)
        let source = ImageSource(options: options, registry: .rows)
        let file = head.file([bitmap])
        try source.append(Array(file.prefix(file.count / 2)))
        let expected = applies ? try bitmap.oriented(by: orientation) : bitmap
        #expect(try source.currentBitmap()?.size == expected.size)
        try source.append(Array(file.dropFirst(file.count / 2)))
        #expect(try source.currentBitmap()?.tightBytes() == expected.tightBytes())
    }

    @Test("A region is in upright coordinates", arguments: Orientation.allCases)
    func aRegionIsMeantUpright(_ orientation: Orientation) throws {
        var head = RowsHead(bitmap.info)
        head.orientation = orientation
        let upright = try bitmap.oriented(by: orientation)
        let region = PixelRect(x: 2, y: 1, width: 4, height: 7)
        let source = ImageSource(plan: DecodingPlan(region: region), registry: .rows)
        _ = try feed(head.file([bitmap]), to: source, by: 50)
        #expect(try source.currentBitmap()?.tightBytes() == upright.cropped(to: region).tightBytes())
    }

    @Test("Previews are colour-converted too")
    func colorsAreConvertedInPreviewsToo() throws {
        let bitmap = try Bitmap.pattern(11, 9, profile: .icc(TestProfiles.wideRGB))
        let file = RowsHead(bitmap.info).file([bitmap])
        let whole = try ImageSource.decode(file, registry: .rows).bitmap
        #expect(whole.profile == .sRGB)
        #expect(whole.tightBytes() != bitmap.tightBytes())
        let source = ImageSource(registry: .rows)
        try source.append(Array(file.dropLast(2 * 44)))
        let preview = try #require(try source.currentBitmap())
        #expect(preview.profile == .sRGB)
        #expect(preview.tightBytes().prefix(7 * 44) == whole.tightBytes().prefix(7 * 44))

        let stored = ImageSource(options: DecodingOptions(color: .asStored), registry: .rows)
        _ = try feed(file, to: stored, by: 100)
        #expect(try stored.currentBitmap()?.info == bitmap.info)
        #expect(try stored.currentBitmap()?.tightBytes() == bitmap.tightBytes())
    }

    @Test("An sRGB profile changes nothing")
    func aProfileThatIsSRGBLeavesNoTrace() throws {
        let bitmap = try Bitmap.pattern(3, 3, profile: .icc(TestProfiles.sRGB))
        let decoded = try ImageSource.decode(RowsHead(bitmap.info).file([bitmap]), registry: .rows)
        #expect(decoded.bitmap.profile == .sRGB)
        #expect(decoded.bitmap.tightBytes() == bitmap.tightBytes())
        #expect(decoded.header.profile == bitmap.profile)
    }
}

@Suite("Decoding that fails")
struct ImageSourceFailureTests {
    private let bitmap: Bitmap
    private let file: [UInt8]

    init() throws {
        bitmap = try .pattern(11, 9)
        file = RowsHead(bitmap.info).file([bitmap])
    }

    private func expectRows(_ count: Int, in result: Bitmap?) throws {
        let bytes = try #require(result).tightBytes()
        #expect(bytes.prefix(count * 44) == bitmap.tightBytes().prefix(count * 44))
        #expect(bytes.dropFirst(count * 44).allSatisfy { $0 == 0 })
    }

    @Test("Truncated input yields its complete rows", arguments: [true, false])
    func inputThatEndsEarlyLeavesWhatThereIs(deliversPreviews: Bool) throws {
        let source = ImageSource(deliversPreviews: deliversPreviews, registry: .rows)
        let cut = Array(file.prefix(20 + 4 * 44 + 5))
        try source.append(cut)
        let error = #expect(throws: ImageError.self) { try source.finish() }
        #expect(error == ImageError(.truncated, "row 4 of pass 0 is missing", byteOffset: cut.count))
        #expect(source.error == error && !source.isComplete)
        try expectRows(4, in: try source.currentBitmap())
        // It stays what it was.
        #expect(throws: try #require(error)) { try source.append([1]) }
        #expect(throws: try #require(error)) { try source.finish() }

        let decoded = try ImageSource.decode(cut, registry: .rows)
        #expect(decoded.error == error)
        try expectRows(4, in: decoded.bitmap)
    }

    @Test("Bytes refused in the last piece don't cost the rows before them", arguments: [1, 50, 5000], [true, false])
    func aRefusalCostsNoRowThatWasPossible(_ count: Int, deliversPreviews: Bool) throws {
        // The codec refuses bytes after the last row; those before came in the same piece.
        let source = ImageSource(deliversPreviews: deliversPreviews, registry: .rows)
        let bytes = file + [9]
        let error = #expect(throws: ImageError.self) {
            for start in stride(from: 0, to: bytes.count, by: count) {
                try source.append(Array(bytes[start..<min(bytes.count, start + count)]))
            }
        }
        #expect(error?.code == .corrupt && error == source.error)
        #expect(try source.currentBitmap()?.tightBytes() == bitmap.tightBytes())

        let decoded = try ImageSource.decode(bytes, registry: .rows)
        #expect(decoded.error == error)
        #expect(decoded.bitmap.tightBytes() == bitmap.tightBytes())
    }

    @Test("A damaged row yields the rows before it", arguments: [1, 50, 5000])
    func aBadRowLeavesThoseBefore(_ count: Int) throws {
        var head = RowsHead(bitmap.info)
        head.failingRow = 3
        let source = ImageSource(registry: .rows)
        let bytes = head.file([bitmap])
        let error = #expect(throws: ImageError.self) {
            for start in stride(from: 0, to: bytes.count, by: count) {
                try source.append(Array(bytes[start..<min(bytes.count, start + count)]))
            }
        }
        #expect(error?.message == "row 3 is bad")
        try expectRows(3, in: try source.currentBitmap())
        let decoded = try ImageSource.decode(bytes, registry: .rows)
        #expect(decoded.error == error)
        try expectRows(3, in: decoded.bitmap)
    }

    @Test("Without rows there is no image")
    func withoutARowThereIsNoPicture() throws {
        var head = RowsHead(bitmap.info)
        head.failingRow = 0
        let error = #expect(throws: ImageError.self) { try ImageSource.decode(head.file([bitmap]), registry: .rows) }
        #expect(error?.message == "row 0 is bad")
        let truncated = #expect(throws: ImageError.self) { try ImageSource.decode(head.encoded, registry: .rows) }
        #expect(truncated?.code == .truncated)
    }

    private static let noPictures: [(bytes: [UInt8], code: ImageError.Code)] = [
        ([], .unknownFormat), ([0], .unknownFormat), (Array("PNG?".utf8), .unknownFormat),
        (Array("ROW".utf8), .unknownFormat), (Array("ROWS".utf8), .truncated),
        ([0x52, 0x4F, 0x57, 0x53] + [UInt8](repeating: 200, count: 400), .truncated),
        ([0x52, 0x4F, 0x57, 0x53, 1, 0, 1, 0, 9] + [UInt8](repeating: 0, count: 40), .corrupt),
    ]

    @Test("Data that isn't an image is an error", arguments: noPictures)
    func whatIsNoPictureIsSaid(_ bytes: [UInt8], _ code: ImageError.Code) throws {
        let source = ImageSource(registry: .rows)
        let error = #expect(throws: ImageError.self) {
            for byte in bytes { try source.append([byte]) }
            try source.finish()
        }
        #expect(error?.code == code && source.error == error)
        #expect(try source.currentBitmap() == nil)
        #expect(errorCode { try ImageSource.decode(bytes, registry: .rows) } == code)
        #expect(errorCode { try ImageSource.header(of: bytes, registry: .rows) } == code)
        #expect(errorCode { try EncodedImage(bytes, registry: .rows) } == code)
    }

    @Test("A plan that doesn't fit the image is refused")
    func aPlanThatDoesNotFitIsRefused() throws {
        for plan in [
            DecodingPlan(region: PixelRect(x: 5, y: 0, width: 7, height: 1)),
            DecodingPlan(region: PixelRect(x: 0, y: 0, width: 0, height: 1)),
            DecodingPlan(targetSize: PixelSize(width: 0, height: 4)),
        ] {
            #expect(errorCode { try ImageSource.decode(file, plan: plan, registry: .rows) } == .invalidParameter)
            let source = ImageSource(plan: plan, registry: .rows)
            #expect(errorCode { try source.append(file) } == .invalidParameter)
        }
    }

    @Test("Limits are checked")
    func limitsHold() throws {
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 98
        let options = DecodingOptions(limits: limits)
        #expect(errorCode { try ImageSource.decode(file, options: options, registry: .rows) } == .limitExceeded)
        limits = .standard
        limits.maximumInputByteCount = 100
        let source = ImageSource(
            options: DecodingOptions(limits: limits), registry: CodecRegistry([UndecidedCodec()]))
        #expect(errorCode { for _ in 0..<9 { try source.append(file) } } == .limitExceeded)
    }

    @Test("Bytes after the end are an error")
    func bytesAfterTheEndAreAnError() throws {
        let source = ImageSource(registry: .rows)
        try source.append(file)
        try source.finish()
        #expect(errorCode { try source.append([1]) } == .invalidParameter)
        #expect(source.isComplete && source.error == nil)
    }
}

/// Never has enough to tell.
private struct UndecidedCodec: ImageCodec {
    var format: ImageFormat { .rows }
    var capabilities: ImageCapabilities { .decode }

    func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        .needMoreData(minimum: probe.prefix.byteCount + 1)
    }

    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        throw ImageError(.unsupported, "never")
    }
}
