import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("A JPEG's index and eighth by several threads")
struct JPEGParallelScanTests {
    private static func file(_ subsampling: EncodingOptions.JPEG.Subsampling, isGray: Bool = false) throws -> [UInt8] {
        var options = EncodingOptions(quality: 0.95)
        options.jpeg.subsampling = subsampling
        let bitmap = try Bitmap.grainy(
            PixelSize(width: 1307, height: 1021), format: isGray ? .gray8 : .rgba8)
        return try ImageDestination(format: .jpeg, options: options).encode(bitmap)
    }

    private static func indexer(_ layout: JPEGTileLayout, _ file: [UInt8]) -> JPEGTileIndexer {
        var indexer = JPEGTileIndexer(layout)
        indexer.append(file.span.bytes.extracting(droppingFirst: layout.dataOffset))
        indexer.finish()
        return indexer
    }

    @Test("They are those of one reader", arguments: [2, 3, 8])
    func equality(threadCount: Int) throws {
        for (subsampling, isGray) in [
            (EncodingOptions.JPEG.Subsampling.yuv420, false), (.yuv422, false), (.yuv444, false), (.yuv420, true),
        ] {
            let file = try Self.file(subsampling, isGray: isGray)
            let layout = try JPEGTileLayout(header: file.span.bytes, columnWidth: 128)
            let expected = Self.indexer(layout, file)
            let source = Source(file)
            var parallel = try #require(try JPEGParallelScan(layout, source, threadCount: threadCount))
            let index = try #require(try parallel.index())
            #expect(index.isComplete && index.hasEntries(of: expected.index))
            parallel = try #require(try JPEGParallelScan(layout, source, threadCount: threadCount))
            let both = try #require(try parallel.indexAndEighth(.sRGB))
            #expect(both.index.hasEntries(of: expected.index))
            let eighth = try #require(expected.eighth).makeBitmap(profile: .sRGB)
            #expect(both.eighth.info == eighth.info && both.eighth.tightBytes() == eighth.tightBytes())
        }
    }

    @Test("A damaged or truncated file has none, nor has one that is small or read by one thread")
    func damaged() throws {
        let file = try Self.file(.yuv420)
        let layout = try JPEGTileLayout(header: file.span.bytes)
        var damaged = file
        // A marker within the data ends it.
        damaged.replaceSubrange(file.count / 2..<file.count / 2 + 2, with: [0xFF, 0xC4])
        for bytes in [damaged, Array(file[..<(file.count / 2)])] {
            let source = Source(bytes)
            var parallel = try #require(try JPEGParallelScan(layout, source, threadCount: 2))
            #expect(try parallel.index() == nil)
            parallel = try #require(try JPEGParallelScan(layout, source, threadCount: 2))
            #expect(try parallel.indexAndEighth(.sRGB) == nil)
        }
        #expect(try JPEGParallelScan(layout, Source(file), threadCount: 1) == nil)
        #expect(try JPEGParallelScan(layout, Source(Array(file.prefix(1 << 18))), threadCount: 2) == nil)
    }

    @Test("A damaged file has one reader's rows and error")
    func fallback() async throws {
        let file = try Self.file(.yuv420)
        let layout = try JPEGTileLayout(header: file.span.bytes)
        let whole = Self.indexer(layout, file).index
        var damaged = file
        damaged.replaceSubrange(file.count / 2..<file.count / 2 + 2, with: [0xFF, 0xC4])
        let picture = try await TiledImage(Source(damaged))
        let expected = Self.indexer(layout, damaged).index
        #expect(expected.rowCount > 0 && expected.rowCount < whole.rowCount)
        var failure: ImageError?
        for await event in picture.events {
            if case .failed(let error) = event { failure = error }
        }
        #expect(failure?.byteOffset == expected.failure?.offset && failure != nil)
    }
}
