import Foundation
import ImageFormats
import ImageLoading
import Raster
import SamplePictures
import TestSupport
import Testing

@Suite("Images by the URLs of their files")
struct ImageURLTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func picture() throws -> Image {
        Image(try SamplePicture.allCases[0].makeBitmap(size: PixelSize(width: 64, height: 48)))
    }

    @Test("A URL is its path, also with characters that URLs escape")
    func roundTrip() async throws {
        let url = URL(filePath: folder.file("a photo, 50%.png"))
        try write(picture(), to: url)
        let image = try Image(contentsOf: url)
        #expect(image.size == PixelSize(width: 64, height: 48) && image.format == .png && !image.isDecoded)
        let other = URL(filePath: folder.file("b.jpg"))
        try await image.write(to: other, quality: 0.5)
        try await image.write(to: other, as: .bmp, options: EncodingOptions())
        #expect(try Image(contentsOf: other).format == .bmp)
        #expect(try folder.names() == ["a photo, 50%.png", "b.jpg"])
        #expect(throws: ImageError.self) { try self.write(image, to: url, overwriting: false) }
        let frames = try AnimatedImage(contentsOf: url).frames
        #expect(frames.count == 1)
    }

    private func write(_ image: Image, to url: URL, overwriting: Bool = true) throws {
        try image.write(to: url, overwriting: overwriting)
    }

    @Test("Data comes where Data is asked for, an array elsewhere")
    func data() throws {
        let image = try picture()
        let data: Data = try image.data(as: .png)
        let bytes = try image.data(as: .png)
        #expect(type(of: bytes) == [UInt8].self && [UInt8](data) == bytes)
        #expect(try Image(data: data).size == Image(data: bytes).size)
    }

    @Test("Only files are read and written; the error names what loads the rest")
    func otherURLs() throws {
        let url = try #require(URL(string: "https://example.com/a.png"))
        let image = try picture()
        let errors = [
            #expect(throws: ImageError.self) { try Image(contentsOf: url) },
            #expect(throws: ImageError.self) { try AnimatedImage(contentsOf: url) },
            #expect(throws: ImageError.self) { try self.write(image, to: url) },
        ]
        for error in errors {
            #expect(error?.code == .invalidParameter)
            #expect(error?.message.hasPrefix("https://example.com/a.png is not a file URL; ") == true)
        }
        #expect(errors[0]?.message.hasSuffix("load it with ImagePipeline.shared.image(for:)") == true)
    }

    @Test("The pipeline's bytes go wherever arrays go")
    func bytesOfThePipeline() async throws {
        let png: [UInt8] = try await picture().data(as: .png)
        let request = ImageRequest(id: "bytes", data: { Data(png) })
        let source = ImageSource()
        for try await chunk in try await ImagePipeline.shared.bytes(for: request) { try source.append(chunk) }
        try source.finish()
        #expect(source.isComplete)
        var collected: [UInt8] = []
        for try await piece in DataChunks(png) { collected += piece }
        #expect(collected == png)
    }
}
