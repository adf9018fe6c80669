import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Reading rows of a file")
struct ImageRowSourceTests {
    private let bitmap: Bitmap
    private let file: [UInt8]

    init() throws {
        bitmap = try .pattern(11, 9)
        file = RowsHead(bitmap.info).file([bitmap])
    }

    /// Delivers bytes as a pipe would: in small pieces, of unknown number, and with an error at the end if there is one.
    private final class Pipe: ByteReader {
        var rest: ArraySlice<UInt8>
        let pieceByteCount: Int
        let failure: ImageError?
        private(set) var readByteCount = 0

        init(_ bytes: [UInt8], by pieceByteCount: Int, failure: ImageError? = nil) {
            rest = bytes[...]
            self.pieceByteCount = pieceByteCount
            self.failure = failure
        }

        var byteCount: Int? { nil }

        func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
            let piece = Array(rest.prefix(pieceByteCount))
            guard !piece.isEmpty else {
                if let failure { throw failure }
                return false
            }
            rest = rest.dropFirst(piece.count)
            readByteCount += piece.count
            try body(piece.span.bytes)
            return true
        }

        func suffix(_ count: Int) -> [UInt8]? { nil }
    }

    /// Pulls rows one at a time and tells how many there were before the error.
    private func rowsBeforeError(_ source: any RowSource) throws -> (bytes: [UInt8], error: ImageError?) {
        var info = source.info
        info.size.height = 1
        var bytes: [UInt8] = []
        var row = try MutableBitmap(info)
        do throws(ImageError) {
            while true {
                let count = try row.withMutableRows(0..<1) { (rows) throws(ImageError) in try source.read(into: &rows) }
                guard count > 0 else { return (bytes, nil) }
                bytes += try row.snapshot().tightBytes()
            }
        } catch {
            return (bytes, error)
        }
    }

    @Test("Rows arrive while bytes are read", arguments: [1, 3, 100, 10_000], [true, false])
    func rowsComeWhileBytesAreRead(_ count: Int, prefersWholeInput: Bool) throws {
        var head = RowsHead(bitmap.info)
        head.prefersWholeInput = prefersWholeInput
        let file = head.file([bitmap])
        for bytes: any ByteReader in [Pipe(file, by: count), Source(file).reader()] {
            let source = try ImageRowSource(bytes, registry: .rows)
            #expect(source.info == bitmap.info)
            let (rows, error) = try rowsBeforeError(source)
            #expect(error == nil)
            #expect(rows == bitmap.tightBytes())
            // The end stays the end.
            #expect(try rowsBeforeError(source).bytes.isEmpty)
        }
    }

    @Test("No more bytes are read than needed")
    func noMoreIsReadThanIsNeeded() throws {
        let pipe = Pipe(file, by: 10)
        let source = try ImageRowSource(pipe, registry: .rows)
        #expect(pipe.readByteCount == 20)
        var row = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 11, height: 1), format: .rgba8, alpha: .straight))
        var rows = row.mutableRows
        #expect(try source.read(into: &rows) == 1)
        #expect(pipe.readByteCount == 70)
    }

    @Test("Rows are upright", arguments: Orientation.allCases)
    func rowsStandUpright(_ orientation: Orientation) throws {
        var head = RowsHead(bitmap.info)
        head.orientation = orientation
        let region = PixelRect(x: 1, y: 2, width: 5, height: 6)
        for plan in [DecodingPlan.full, DecodingPlan(region: region)] {
            let source = try ImageRowSource(Pipe(head.file([bitmap]), by: 60), registry: .rows) { _ in plan }
            var expected = try bitmap.oriented(by: orientation)
            if let region = plan.region { expected = try expected.cropped(to: region) }
            #expect(source.info == expected.info)
            #expect(try source.makeBitmap().tightBytes() == expected.tightBytes())
        }
    }

    @Test("Rows have the colour space that was requested", arguments: Orientation.allCases)
    func rowsAreInTheColorsAskedFor(_ orientation: Orientation) throws {
        let bitmap = try Bitmap.pattern(11, 9, profile: .icc(TestProfiles.wideRGB))
        var head = RowsHead(bitmap.info)
        head.orientation = orientation
        let bytes = head.file([bitmap])
        let converted = try ImageRowSource(Source(bytes), registry: .rows).makeBitmap()
        #expect(converted.profile == .sRGB)
        #expect(converted.tightBytes() == (try ImageSource.decode(bytes, registry: .rows)).bitmap.tightBytes())
        let stored = try ImageRowSource(
            Source(bytes), options: DecodingOptions(color: .asStored), registry: .rows
        ).makeBitmap()
        #expect(stored.profile == bitmap.profile)
        #expect(stored.tightBytes() == (try bitmap.oriented(by: orientation)).tightBytes())
    }

    @Test("Truncated input yields its rows, then the error", arguments: [1, 64, 10_000], [true, false])
    func rowsBeforeTheEndOfTheInputCome(_ count: Int, prefersWholeInput: Bool) throws {
        var head = RowsHead(bitmap.info)
        head.prefersWholeInput = prefersWholeInput
        let cut = Array(head.file([bitmap]).prefix(20 + 44 * 5 + 7))
        let lost = ImageError(.inputOutput, "the line broke")
        for failure in [nil, lost] {
            let source = try ImageRowSource(Pipe(cut, by: count, failure: failure), registry: .rows)
            let (rows, error) = try rowsBeforeError(source)
            #expect(rows == Array(bitmap.tightBytes().prefix(44 * 5)))
            #expect(error == failure ?? ImageError(.truncated, "row 5 of pass 0 is missing", byteOffset: cut.count))
        }
    }

    @Test("A refusal comes after the rows before it", arguments: [1, 64, 10_000], [true, false])
    func rowsBeforeARefusalCome(_ count: Int, prefersWholeInput: Bool) throws {
        var head = RowsHead(bitmap.info)
        head.prefersWholeInput = prefersWholeInput
        // Two passes said, the second too long: the refusal comes with the last good byte.
        let source = try ImageRowSource(Pipe(head.file([bitmap]) + [1, 2], by: count), registry: .rows)
        #expect(try rowsBeforeError(source).bytes == bitmap.tightBytes())
    }

    @Test("An error before the header is thrown at once")
    func anErrorBeforeTheHeaderIsThrownAtOnce() throws {
        let lost = ImageError(.inputOutput, "the line broke")
        for length in [0, 2, 10] {
            #expect(throws: lost) {
                try ImageRowSource(Pipe(Array(file.prefix(length)), by: 3, failure: lost), registry: .rows)
            }
        }
        #expect(errorCode { try ImageRowSource(Pipe([], by: 1), registry: .rows) } == .unknownFormat)
    }

    @Test("A truncated rotated image is thrown at once")
    func aTurnedPictureThatIsNotWholeIsThrownAtOnce() throws {
        var head = RowsHead(bitmap.info)
        head.orientation = .right
        let error = #expect(throws: ImageError.self) {
            try ImageRowSource(Pipe(Array(head.file([bitmap]).dropLast(50)), by: 9), registry: .rows)
        }
        #expect(error?.code == .truncated)
    }

    @Test("A plan that doesn't fit the image is refused")
    func aPlanThatDoesNotFitIsRefused() {
        let plan = DecodingPlan(region: PixelRect(x: 0, y: 0, width: 9, height: 11))
        let error = #expect(throws: ImageError.self) {
            try ImageRowSource(Source(file), plan: plan, registry: .rows)
        }
        #expect(error?.code == .invalidParameter)
    }
}
