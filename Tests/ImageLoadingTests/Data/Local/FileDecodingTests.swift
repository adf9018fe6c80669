import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import TestSupport
import Testing

/// Images in local files are decoded while the file is read, with the results of bytes from anywhere else.
@Suite("Decoding local files in a pipeline")
struct FileDecodingTests {
    private func pipeline(_ change: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> ImagePipeline {
        ImagePipeline {
            $0.imageCache = nil
            change(&$0)
        }
    }

    /// The same bytes as a file and as a data URL.
    private func urls(_ data: Data, in folder: TemporaryFolder) throws -> (file: URL, data: URL) {
        let file = URL(fileURLWithPath: folder.file("image"))
        try data.write(to: file)
        return (file, try #require(URL(string: "data:;base64,\(data.base64EncodedString())")))
    }

    private static let requests: [@Sendable (URL) -> ImageRequest] = [
        { ImageRequest(url: $0) },
        {
            var request = ImageRequest(url: $0)
            request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: 9)
            return request
        },
        { ImageRequest(url: $0, options: .skipDecompression) },
        {
            var request = ImageRequest(url: $0)
            request.decoding.imageIndex = 0
            return request
        },
    ]

    @Test(
        "Decoding a file gives the same image as decoding its bytes",
        arguments: [ImageFormat.jpeg, .png, .jpng, .gif, .bmp, .tiff, .qoi, .pnm, .tga], requests.indices)
    func givesWhatTheBytesGive(format: ImageFormat, request: Int) async throws {
        guard CodecRegistry.builtIn.canEncode(format) else { return }
        let folder = try TemporaryFolder()
        let urls = try urls(TestPicture.file(format, TestPicture.bitmap(37, 21)), in: folder)
        let (file, data) = (
            try await pipeline().response(for: Self.requests[request](urls.file)),
            try await pipeline().response(for: Self.requests[request](urls.data))
        )
        #expect(try file.image.bitmap().tightBytes() == data.image.bitmap().tightBytes())
        #expect(file.container.type == data.container.type && file.container.header == data.container.header)
        #expect(file.urlResponse?.expectedByteCount == data.urlResponse?.expectedByteCount)
    }

    @Test("An animation is decoded as an animation")
    func anAnimationStaysOne() async throws {
        let folder = try TemporaryFolder()
        let response = try await pipeline().response(
            for: ImageRequest(url: urls(TestPicture.animation(), in: folder).file))
        #expect(response.container.animation != nil && response.container.data != nil)
    }

    @Test("A damaged file fails with the same error as its bytes", arguments: requests.indices)
    func whatIsDamagedFailsAsItsBytesDo(request: Int) async throws {
        let folder = try TemporaryFolder()
        let whole = try TestPicture.file(.jpeg, TestPicture.bitmap(64, 64))
        for data in [whole.prefix(whole.count / 2), whole.prefix(3), Data("no image".utf8), Data()] {
            let urls = try urls(data, in: folder)
            let failures = await (
                self.failure(of: Self.requests[request](urls.file)), self.failure(of: Self.requests[request](urls.data))
            )
            #expect(failures.0 == failures.1, "\(data.count) bytes")
        }
    }

    /// What keeps an image from being made, and how much of it there is.
    private func failure(of request: ImageRequest) async -> String {
        do {
            return "none, \(try await pipeline().image(for: request).size)"
        } catch ImagePipeline.Error.decodingFailed(
            _, let context, ImageDecodingError.incomplete(let container, let error))
        {
            return "\(error) \(context.data.count) \((try? container.image.bitmap())?.tightBytes().count ?? 0)"
        } catch {
            return "\(error)"
        }
    }

    @Test("A custom decoder receives all bytes")
    func aProgramsOwnDecoderGetsAllBytes() async throws {
        let folder = try TemporaryFolder()
        let data = try TestPicture.file(.png, TestPicture.bitmap(20, 12))
        let pipeline = pipeline {
            $0.makeImageDecoder = { context in
                context.data.count == data.count ? ImageDecoders.Default(context: context) : nil
            }
        }
        let response = try await pipeline.response(for: ImageRequest(url: urls(data, in: folder).file))
        #expect(response.image.size == PixelSize(width: 20, height: 12))
    }

    @Test("The byte limit applies to files")
    func aLimitForBytesHoldsForFiles() async throws {
        let folder = try TemporaryFolder()
        let file = try urls(TestPicture.file(.png, TestPicture.bitmap(20, 12)), in: folder).file
        let pipeline = pipeline { $0.dataFetching.maximumByteCount = 20 }
        await #expect(throws: ImagePipeline.Error.self) { try await pipeline.image(for: file) }
    }
}
