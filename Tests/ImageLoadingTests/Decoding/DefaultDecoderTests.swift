import Foundation
import ImageEffects
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("The default decoder")
struct DefaultDecoderTests {
    static let request = ImageRequest(url: URL(string: "https://example.com/picture")!)

    private func decode(_ data: Data, _ request: ImageRequest = request) throws -> ImageContainer {
        let context = ImageDecodingContext(request: request, data: data)
        return try #require(ImageDecoders.Default(data: data, context: context)).decode(data)
    }

    /// What `decode` throws of a picture that isn't whole.
    private func incomplete(_ data: Data, _ request: ImageRequest = request) -> (ImageContainer, ImageError)? {
        do {
            _ = try decode(data, request)
        } catch ImageDecodingError.incomplete(let container, let error) {
            return (container, error)
        } catch {}
        return nil
    }

    @Test(
        "A still image is decoded at once, and its bytes aren't kept",
        arguments: [ImageFormat.png, .jpeg, .jpng, .bmp, .gif])
    func aStillIsDecodedAtOnceAndItsBytesAreNotKept(format: ImageFormat) throws {
        let data = try TestPicture.file(format, TestPicture.bitmap(20, 12))
        let container = try decode(data)
        #expect(container.type == format && container.header?.storedSize == PixelSize(width: 20, height: 12))
        #expect(container.image.isDecoded && container.image.size == PixelSize(width: 20, height: 12))
        #expect(container.data == nil && container.animation == nil && !container.isPreview)
        #expect(container.userInfo.isEmpty)
        let expected = try ImageSource.decode([UInt8](data)).bitmap
        #expect(try container.image.bitmap().tightBytes() == expected.tightBytes())
    }

    @Test("Data that isn't an image has no decoder")
    func whatIsNoPictureHasNoDecoder() throws {
        for data in [Data(), Data([0xFF]), Data("text".utf8), Data(count: 100)] {
            let context = ImageDecodingContext(request: Self.request, data: data)
            #expect(ImageDecoders.Default(data: data, context: context) == nil)
            #expect(ImageDecoders.Default(partiallyDownloadedData: data, context: context) == nil)
            #expect(throws: ImageError.self) { try ImageDecoders.Default(context: context).decode(data) }
        }
    }

    @Test(
        "The first bytes suffice once they identify the format",
        arguments: [(ImageFormat.jpeg, 3), (.png, 8), (.gif, 6)] as [(ImageFormat, Int)])
    func theFirstBytesAreEnoughOnceTheyTellTheFormat(format: ImageFormat, count: Int) throws {
        let data = try TestPicture.file(format, TestPicture.bitmap(20, 12))
        for end in 0..<20 {
            let first = data.prefix(end)
            let context = ImageDecodingContext(request: Self.request, data: first, isCompleted: false)
            let decoder = ImageDecoders.Default(partiallyDownloadedData: first, context: context)
            #expect((decoder != nil) == (end >= count), "\(end) bytes")
        }
    }

    // MARK: - As the request asks

    @Test(
        "A thumbnail is never larger than its image",
        arguments: [
            (ImageRequest.ThumbnailOptions(maxPixelSize: 50), PixelSize(width: 50, height: 30)),
            (.init(maxPixelSize: 100), PixelSize(width: 100, height: 60)),
            (.init(maxPixelSize: 1000), PixelSize(width: 100, height: 60)),
            (.init(width: 30, height: 30, unit: .pixels), PixelSize(width: 30, height: 18)),
            (.init(width: 20, height: 20), PixelSize(width: 40, height: 24)),
            (.init(width: 30, height: 30, unit: .pixels, contentMode: .aspectFill), PixelSize(width: 30, height: 30)),
            // The proportions of the size, as `Resize` has them too.
            (.init(width: 200, height: 30, unit: .pixels, contentMode: .aspectFill), PixelSize(width: 100, height: 15)),
            (
                .init(width: 200, height: 200, unit: .pixels, contentMode: .aspectFill),
                PixelSize(width: 60, height: 60)
            ),
            (.init(width: .infinity, height: 30, unit: .pixels), PixelSize(width: 50, height: 30)),
            (.init(width: 0.1, height: 0.1, unit: .pixels), PixelSize(width: 1, height: 1)),
        ] as [(ImageRequest.ThumbnailOptions, PixelSize)])
    func aThumbnailIsNeverLargerThanThePicture(options: ImageRequest.ThumbnailOptions, size: PixelSize) throws {
        var request = Self.request
        request.thumbnail = options
        request.scale = 2
        for data in [
            try TestPicture.progressiveJPEG(60, 100, orientation: .right),
            try TestPicture.file(.png, TestPicture.bitmap(100, 60)),
        ] {
            let container = try decode(data, request)
            #expect(container.image.size == size && container.image.scale == 2)
        }
    }

    @Test("A thumbnail with an empty size is refused", arguments: [0, -1, .nan, .infinity] as [Double])
    func aThumbnailWithoutPixelsIsRefused(side: Double) throws {
        var request = Self.request
        request.thumbnail = .init(maxPixelSize: side)
        let data = try TestPicture.file(.png, TestPicture.bitmap(10, 10))
        #expect(throws: ImageError.self) { try decode(data, request) }
    }

    @Test("A thumbnail has the pixels that the scaling effect makes")
    func aThumbnailIsWhatTheEffectWouldMake() throws {
        var request = Self.request
        request.thumbnail = .init(width: 21, height: 13, unit: .pixels, contentMode: .aspectFill)
        let bitmap = try TestPicture.bitmap(64, 48)
        let small = try decode(TestPicture.file(.png, bitmap), request).image.bitmap()
        let expected = try Image(bitmap).applying(.scaleToFill(width: 21, height: 13)).bitmap()
        #expect(small.tightBytes() == expected.tightBytes())
    }

    @Test("Decoding options reach the codec")
    func decodingOptionsReachTheCodec() throws {
        var request = Self.request
        request.decoding.appliesOrientation = false
        let data = try TestPicture.progressiveJPEG(60, 40, orientation: .right)
        #expect(try decode(data).image.size == PixelSize(width: 40, height: 60))
        #expect(try decode(data, request).image.size == PixelSize(width: 60, height: 40))
        request.decoding.limits.maximumPixelCount = 100
        #expect(throws: ImageError.self) { try decode(data, request) }

        var second = Self.request
        second.decoding.imageIndex = 2
        let still = try decode(TestPicture.animation(), second)
        #expect(still.animation == nil && still.data == nil)
        #expect(try still.image.bitmap().pixel(3, 3) == TestPicture.frameColor(2))
    }

    @Test("Decoding can be deferred")
    func pixelsCanBeLeftForLater() throws {
        var request = Self.request
        request.options = .skipDecompression
        let data = try TestPicture.file(.jpeg, TestPicture.bitmap(30, 20))
        let container = try decode(data, request)
        #expect(!container.image.isDecoded && container.image.size == PixelSize(width: 30, height: 20))
        #expect(container.type == .jpeg && container.header != nil && container.data == nil)
        #expect(try container.image.bitmap().tightBytes() == (try decode(data).image.bitmap().tightBytes()))
        // A thumbnail is made now: its file would be kept for far fewer pixels.
        request.thumbnail = .init(maxPixelSize: 8)
        #expect(try decode(data, request).image.isDecoded)
    }

    // MARK: - Broken bytes

    @Test("A truncated image yields its complete rows", arguments: [ImageFormat.png, .jpeg, .bmp])
    func ofATruncatedPictureThereIsWhatThereIs(format: ImageFormat) throws {
        let bitmap = try TestPicture.bitmap(64, 64)
        let data = try TestPicture.file(format, bitmap)
        let whole = try decode(data).image.bitmap()
        let (container, error) = try #require(incomplete(data.prefix(data.count * 2 / 3)))
        #expect(error.code == .truncated)
        #expect(container.image.size == PixelSize(width: 64, height: 64) && container.type == format)
        #expect(try container.image.bitmap().pixel(5, 0) == whole.pixel(5, 0))
        var request = Self.request
        request.thumbnail = .init(maxPixelSize: 16)
        let (small, _) = try #require(incomplete(data.prefix(data.count * 2 / 3), request))
        #expect(small.image.size == PixelSize(width: 16, height: 16))
    }

    @Test("Every truncation ends with an error", arguments: [ImageFormat.png, .jpeg, .jpng, .gif])
    func everyTruncationEndsInAnError(format: ImageFormat) throws {
        let data = try TestPicture.file(format, TestPicture.bitmap(9, 7, alpha: format == .jpeg ? .none : .straight))
        let end = data.count - (format == .gif ? 4 : format == .jpeg ? 3 : 13)
        for count in stride(from: 0, to: end, by: 3) {
            let context = ImageDecodingContext(request: Self.request, data: data.prefix(count))
            // A JPNG whose end is missing may still be the JPEG that it begins as.
            if format == .jpng { continue }
            #expect(throws: (any Error).self, "\(count) of \(data.count)") {
                try ImageDecoders.Default(context: context).decode(data.prefix(count))
            }
        }
    }

    @Test("Flipped bits never trap")
    func flippedBitsDoNoHarm() throws {
        var random = SystemRandomNumberGenerator()
        for data in [
            try TestPicture.progressiveJPEG(24, 16), try TestPicture.animation(), try TestPicture.animation(.png),
        ] {
            for _ in 0..<60 {
                var broken = data
                for _ in 0..<4 {
                    broken[Int.random(in: 0..<data.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8)
                }
                let context = ImageDecodingContext(request: Self.request, data: broken)
                let decoder = ImageDecoders.Default(context: context)
                for end in stride(from: 0, to: broken.count, by: 97) {
                    let preview = decoder.decodePartiallyDownloadedData(broken.prefix(end))
                    _ = try? preview?.animation?.frame(at: 1)
                }
                _ = try? decoder.decode(broken)
            }
        }
    }
}
