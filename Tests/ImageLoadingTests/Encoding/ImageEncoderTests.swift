import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("Encoding containers")
struct ImageEncoderTests {
    static let request = ImageRequest(url: URL(string: "https://example.com/a")!)

    private func encode(_ encoder: some ImageEncoding, _ container: ImageContainer) throws -> Data {
        try encoder.encode(container, context: ImageEncodingContext(request: Self.request, container: container))
    }

    private func decode(_ data: Data) throws -> ImageContainer {
        try ImageDecoders.Default(context: ImageDecodingContext(request: Self.request, data: data)).decode(data)
    }

    private static let opaqueHEIF: ImageFormat = CodecRegistry.default.canEncode(.heic) ? .heic : .jpeg

    @Test(
        "Opaque images become JPEG, others PNG",
        arguments: [
            (AlphaMode.none, ImageEncoders.Default(), ImageFormat.jpeg),
            (.straight, .init(), .png),
            (.premultiplied, .init(), .png),
            (.straight, .init(isHEIFPreferred: true), .png),
            (.none, .init(isHEIFPreferred: true), opaqueHEIF),
        ] as [(AlphaMode, ImageEncoders.Default, ImageFormat)])
    func opaquePicturesBecomeJPEGAndOthersPNG(
        alpha: AlphaMode, encoder: ImageEncoders.Default, format: ImageFormat
    ) throws {
        let image = Image(try TestPicture.bitmap(20, 12, alpha: alpha))
        for data in [try encoder.encode(image: image), try encode(encoder, ImageContainer(image: image))] {
            #expect(ImageFormat(data: data) == format)
            #expect(try decode(data).image.size == PixelSize(width: 20, height: 12))
        }
    }

    @Test("Alpha is decided by pixels")
    func alphaIsJudgedByPixels() throws {
        let opaque = Image(try TestPicture.bitmap(8, 8).withMeaning(alpha: .straight, profile: .sRGB))
        #expect(ImageFormat(data: try ImageEncoders.Default().encode(image: opaque)) == .jpeg)
        #expect(ImageFormat(data: try ImageEncoders.Default(examinesPixels: false).encode(image: opaque)) == .png)
    }

    @Test("Images are written upright")
    func picturesAreWrittenUpright() throws {
        let image = Image(try TestPicture.bitmap(20, 12), scale: 2, orientation: .right)
        for data in [
            try ImageEncoders.Default().encode(image: image),
            try ImageEncoders.ImageIO(type: .png).encode(image: image),
        ] {
            let header = try ImageSource.header(of: [UInt8](data))
            #expect(header.storedSize == PixelSize(width: 12, height: 20) && header.metadata.orientation == .up)
        }
    }

    @Test("The quality is applied")
    func qualityIsTaken() throws {
        let image = Image(try TestPicture.bitmap(64, 64))
        let counts = try [0.1, 0.8, 1].map {
            try ImageEncoders.Default(compressionQuality: $0).encode(image: image).count
        }
        #expect(counts == counts.sorted() && Set(counts).count == 3)
    }

    // MARK: - Animations

    @Test("An animation keeps its bytes")
    func anAnimationKeepsItsBytes() throws {
        let data = try TestPicture.animation()
        #expect(try encode(ImageEncoders.Default(), decode(data)) == data)
    }

    @Test("A processed animation keeps its frames", arguments: [ImageFormat.gif, .png])
    func aProcessedAnimationKeepsItsFrames(format: ImageFormat) throws {
        let context = ImageProcessingContext(request: Self.request)
        let container = try ImageProcessors.Resize(width: 12).process(
            decode(TestPicture.animation(format)), context: context)
        for data in [
            try encode(ImageEncoders.Default(), container), try encode(ImageEncoders.ImageIO(type: format), container),
        ] {
            let again = try decode(data)
            #expect(again.type == format)
            let animation = try #require(again.animation)
            #expect(animation.frameCount == 4 && animation.loopCount == 3)
            #expect(animation.durations.map { ($0 * 10).rounded() } == [1, 2, 3, 4])
            for index in 0..<4 {
                let frame = try animation.frame(at: index)
                #expect(frame.size == PixelSize(width: 12, height: 8))
                #expect(try frame.bitmap().pixel(5, 5) == TestPicture.frameColor(index))
            }
        }
    }

    @Test("A format without animations gets the first frame")
    func aFormatOfStillsGetsTheFirstFrame() throws {
        let data = try encode(ImageEncoders.ImageIO(type: .jpeg), decode(TestPicture.animation()))
        #expect(ImageFormat(data: data) == .jpeg)
    }

    @Test("An error thrown by a processor is passed on")
    func whatAProcessorThrowsIsThrown() throws {
        struct Refusal: Error {}
        var container = try decode(TestPicture.animation())
        container.data = nil
        let refusing = container.animation?.processed(
            by: .process(id: "refuses") {
                guard try $0.bitmap().pixel(0, 0) == TestPicture.frameColor(0) else { throw Refusal() }
                return $0
            })
        container.animation = refusing
        #expect(throws: Refusal.self) { try encode(ImageEncoders.Default(), container) }
    }

    @Test("Attached bytes are kept")
    func attachedBytesAreKept() throws {
        let data = Data("not decoded here".utf8)
        #expect(try encode(ImageEncoders.Default(), ImageDecoders.Empty().decode(data)) == data)
    }

    // MARK: - One format

    @Test("The guide's sample works")
    func theGuidesSampleWorks() throws {
        let image = Image(try TestPicture.bitmap(64, 64))
        let encoder = ImageEncoders.ImageIO(type: .heif, compressionRatio: 0.8)
        guard ImageEncoders.ImageIO.isSupported(type: .heif) else {
            #expect(throws: ImageError.self) { try encoder.encode(image: image) }
            return
        }
        let data = try encoder.encode(image: image)
        #expect(ImageFormat(data: data) == .heic)
    }

    @Test("Every writable format is written", arguments: [ImageFormat.png, .jpeg, .gif, .bmp, .jpng])
    func everyFormatThatCanBeWrittenIs(format: ImageFormat) throws {
        #expect(ImageEncoders.ImageIO.isSupported(type: format))
        let data = try ImageEncoders.ImageIO(type: format).encode(image: Image(TestPicture.bitmap(9, 9)))
        #expect(ImageFormat(data: data) == format)
    }

    @Test("A format that can't be written is refused")
    func aFormatThatCannotBeWrittenIsRefused() throws {
        #expect(!ImageEncoders.ImageIO.isSupported(type: .mp4))
        let image = Image(try TestPicture.bitmap(2, 2))
        #expect(throws: ImageError.self) { try ImageEncoders.ImageIO(type: .mp4).encode(image: image) }
        #expect(throws: ImageError.self) {
            try ImageEncoders.ImageIO(type: .png, compressionRatio: -1).encode(image: image)
        }
    }
}
