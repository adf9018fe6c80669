import ImageFormats
import ImageFormatsTestSupport
import JPNGContainer
import Raster
import Testing

/// Bytes of which nobody knows how many there will be.
private final class EndlessReader: ByteReader {
    private var bytes: ArraySlice<UInt8>
    let byteCount: Int?

    init(_ bytes: [UInt8], byteCount: Int? = nil) {
        self.bytes = bytes[...]
        self.byteCount = byteCount
    }

    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        let piece = Array(bytes.prefix(700))
        bytes = bytes.dropFirst(700)
        if piece.isEmpty { return false }
        try body(piece.span.bytes)
        return true
    }

    func suffix(_ count: Int) -> [UInt8]? { nil }
}

@Suite("JPNG: streams")
struct JPNGStreamTests {
    typealias Fixture = JPNGFixture

    private static func file(_ version: Int, progressive: Bool = false) throws -> [UInt8] {
        try Fixture.encode(
            Fixture.cutout(56, 40), .jpng,
            EncodingOptions(
                jpeg: EncodingOptions.JPEG(isProgressive: progressive), jpng: EncodingOptions.JPNG(version: version)))
    }

    @Test("Every split of the bytes gives the same image", arguments: [1, 2], [false, true])
    func everySplitGivesTheSame(version: Int, progressive: Bool) throws {
        let file = try Self.file(version, progressive: progressive)
        let whole = try Fixture.decode(file).bitmap.pixels
        for split in 1..<file.count {
            let streamed = try Fixture.stream(file, pieces: [split, file.count])
            #expect(streamed.error == nil && streamed.header?.format == .jpng, "split at \(split)")
            #expect(streamed.bitmap?.pixels == whole, "split at \(split)")
        }
        for pieces in [[1], [7, 1, 130], [64], [1000, 3]] {
            let streamed = try Fixture.stream(file, pieces: pieces)
            #expect(streamed.bitmap?.pixels == whole, "pieces of \(pieces)")
            #expect(streamed.events.last == .complete)
        }
    }

    @Test("Previews are opaque, and the final image isn't")
    func previewsAreOpaqueAndTheEndIsNot() throws {
        let file = try Self.file(1, progressive: true)
        let container = try Fixture.container(file)
        let source = ImageSource(options: Fixture.stored, registry: .builtIn)
        try source.append(Array(file[container.colorRange]))
        #expect(source.header?.format == .jpeg)
        #expect(source.header?.hasAlpha == false)
        let preview = try #require(try source.currentBitmap())
        #expect(Set(Fixture.alpha(preview)) == [255])
        #expect(!source.isComplete)
        try source.append(Array(file[container.colorRange.upperBound...]))
        let events = try source.finish()
        #expect(source.isComplete)
        #expect(
            events.contains { event in
                if case .header(let header) = event { header.format == .jpng && header.hasAlpha } else { false }
            })
        #expect(try source.currentBitmap()?.alpha == .straight)
    }

    @Test("A JPEG stream stays a JPEG", arguments: [true, false])
    func aJPEGStreamStaysAJPEG(deliversPreviews: Bool) throws {
        let file = try Fixture.encode(Fixture.cutout(56, 40), .jpeg)
        let whole = try Fixture.decode(file)
        for tail in [
            [], [UInt8](repeating: 7, count: 100), try Fixture.encode(Fixture.gray(56, 40) { _, _ in 9 }, .png),
        ] {
            let streamed = try Fixture.stream(file + tail, pieces: [211], deliversPreviews: deliversPreviews)
            #expect(streamed.error == nil)
            #expect(streamed.header?.format == .jpeg)
            #expect(streamed.events.last == .complete)
            #expect(streamed.bitmap?.pixels == whole.bitmap.pixels)
        }
    }

    @Test("Without previews, the end of the file is needed before the first row")
    func withoutPreviewsTheEndDecidesBeforeTheFirstRow() throws {
        let file = try Self.file(2)
        let streamed = try Fixture.stream(file, pieces: [100], deliversPreviews: false)
        #expect(streamed.header?.format == .jpng)
        #expect(try streamed.bitmap?.pixels == Fixture.decode(file).bitmap.pixels)
    }

    @Test("Rows from a pipe have alpha", arguments: [true, false])
    func rowsOfAPipeHaveAlpha(saysLength: Bool) throws {
        let file = try Self.file(1)
        // A length is of no use where the end can't be looked at.
        let source = EndlessReader(file, byteCount: saysLength ? file.count : nil)
        let rows = try ImageRowSource(source, options: Fixture.stored, registry: .builtIn)
        #expect(rows.header.format == .jpng)
        #expect(try rows.makeBitmap().pixels == Fixture.decode(file).bitmap.pixels)
    }

    @Test("A stream beyond the size limit is refused")
    func aStreamThatIsTooLongIsRefused() throws {
        let file = try Self.file(1)
        var options = Fixture.stored
        options.limits.maximumInputByteCount = file.count - 1
        let streamed = try Fixture.stream(file, pieces: [100], options)
        #expect(streamed.error?.code == .limitExceeded)
    }
}
