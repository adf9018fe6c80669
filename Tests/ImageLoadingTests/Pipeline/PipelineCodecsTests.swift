import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import TestSupport
import Testing

/// A pipeline decodes and encodes by its own codecs, whatever the process's are.
@Suite("A pipeline's codecs")
struct PipelineCodecsTests {
    private static let withoutPNG = {
        var codecs = CodecRegistry.builtIn
        codecs.unregister(.png)
        return codecs
    }()

    private func pipeline(_ codecs: CodecRegistry?) -> ImagePipeline {
        ImagePipeline {
            $0.imageCache = nil
            $0.codecs = codecs
        }
    }

    private func url(_ format: ImageFormat) throws -> URL {
        let data = try TestPicture.file(format, TestPicture.bitmap(20, 12))
        return try #require(URL(string: "data:\(format.mimeType);base64,\(data.base64EncodedString())"))
    }

    @Test("A format without a codec in the pipeline's registry is no image")
    func whatItHasNoCodecForIsNoPictureToIt() async throws {
        let png = try url(.png)
        #expect(try await pipeline(nil).image(for: png).size == PixelSize(width: 20, height: 12))
        await #expect(throws: ImagePipeline.Error.self) { try await self.pipeline(Self.withoutPNG).image(for: png) }
        let jpeg = try url(.jpeg)
        #expect(try await pipeline(Self.withoutPNG).image(for: jpeg).size == PixelSize(width: 20, height: 12))
    }

    @Test(
        "Deferred images are decoded by the pipeline's codecs", arguments: [ImageRequest.Options(), .skipDecompression])
    func picturesThatAreDecodedLaterAreSoByTheSameCodecs(options: ImageRequest.Options) async throws {
        let calls = CountingCodec.Calls()
        let codecs = CodecRegistry([try CountingCodec(calls)])
        let request = ImageRequest(url: try url(.png), options: options)
        let image = try await pipeline(codecs).image(for: request)
        _ = try image.bitmap()
        #expect(calls.count > 0)
    }

    @Test("Thumbnails are decoded by the pipeline's codecs")
    func thumbnailsAreDecodedByThem() async throws {
        let calls = CountingCodec.Calls()
        var request = ImageRequest(url: try url(.png))
        request.thumbnail = ImageRequest.ThumbnailOptions(width: 8, height: 8, unit: .pixels)
        let image = try await pipeline(CodecRegistry([try CountingCodec(calls)])).image(for: request)
        #expect(image.size == PixelSize(width: 8, height: 5) && calls.count > 0)
    }

    /// A decoder reads a file's header once, and that of a damaged one no second time for its error.
    @Test("A local file is decoded once, damaged or not", arguments: [false, true], [nil, 8])
    func aFileIsDecodedOnce(isDamaged: Bool, width: Double?) async throws {
        let folder = try TemporaryFolder()
        let data = try TestPicture.file(.png, TestPicture.bitmap(20, 12))
        let path = try folder.write([UInt8](isDamaged ? data.prefix(data.count / 2) : data), to: "image")
        let calls = CountingCodec.Calls()
        var request = ImageRequest(url: URL(fileURLWithPath: path))
        request.thumbnail = width.map { ImageRequest.ThumbnailOptions(width: $0, height: $0, unit: .pixels) }
        let pipeline = pipeline(CodecRegistry([try CountingCodec(calls)]))
        let size = try? await pipeline.image(for: request).size
        #expect((size == nil) == isDamaged)
        // Of a damaged one there are the rows that a thumbnail is made of, and then those that can be shown.
        #expect(calls.count == (isDamaged && width != nil ? 2 : 1))
    }
}

/// PNG's codec, which counts what it is asked to decode.
private struct CountingCodec: ImageCodec {
    final class Calls: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
        func add() { value.add(1, ordering: .relaxed) }
    }

    private let calls: Calls
    private let png: any ImageCodec

    init(_ calls: Calls) throws {
        self.calls = calls
        png = try #require(CodecRegistry.builtIn.codec(for: .png))
    }

    var format: ImageFormat { .png }
    var capabilities: ImageCapabilities { png.capabilities }

    func identify(_ probe: borrowing FormatProbe) -> FormatMatch { png.identify(probe) }

    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        calls.add()
        return try png.makeDecoder(for: probe, options: options)
    }

    func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink { try png.makeEncoder(info, options: options, output: output) }
}
