import Foundation
import ImageLoadingTestSupport
import TesseraCompatibility
import Testing

@Suite("SDImageIOCoder")
struct SDImageIOCoderTests {
    private let coder = SDImageIOCoder.shared

    @Test(
        "Formats have their names and identifiers",
        arguments: [
            (.JPEG, "public.jpeg"), (.PNG, "public.png"), (.GIF, "com.compuserve.gif"), (.TIFF, "public.tiff"),
            (.webP, ImageFormat.webP.typeIdentifier), (.HEIC, "public.heic"), (.HEIF, "public.heif"),
        ] as [(SDImageFormat, String)])
    func formats(format: SDImageFormat, identifier: String) throws {
        #expect(NSData.sd_UTType(from: format) == identifier)
        #expect(NSData.sd_imageFormat(fromUTType: identifier) == format)
        #expect(SDImageIOCoder.canDecode(from: format) == CodecRegistry.default.canDecode(try #require(format.format)))
    }

    @Test("Undefined is what isn't known, and is written as PNG")
    func undefined() {
        #expect(NSData.sd_UTType(from: .undefined) == "public.png")
        #expect(NSData.sd_imageFormat(fromUTType: "public.nothing") == .undefined)
        #expect(NSData.sd_imageFormat(fromUTType: nil) == .undefined)
        #expect(NSData.sd_imageFormat(forImageData: Data([1, 2, 3])) == .undefined)
        #expect(coder.canEncode(to: .undefined) && !SDImageIOCoder.canDecode(from: .undefined))
        #expect(!coder.canDecode(from: Data([1, 2, 3])) && !coder.canDecode(from: nil))
    }

    @Test(
        "The scale is at least 1, of any type of number",
        arguments: [(nil, 1), (2, 2), (0.5, 1), (CGFloat(3), 3), (Float(4), 4), ("5", 1)]
            as [((any Sendable)?, Double)])
    func scale(option: (any Sendable)?, scale: Double) throws {
        let data = try TestPicture.file(.png, TestPicture.bitmap(20, 12))
        let options: SDImageCoderOptions? = option.map { [.decodeScaleFactor: $0] }
        let image = try #require(coder.decodedImage(with: data, options: options))
        #expect(image.scale == scale && image.size == PixelSize(width: 20, height: 12) && !image.isDecoded)
        #expect(image.sd_imageFormat == .PNG)
    }

    @Test(
        "Without a format, alpha decides between PNG and JPEG",
        arguments: [(AlphaMode.none, ImageFormat.jpeg), (.straight, .png)])
    func encoding(alpha: AlphaMode, format: ImageFormat) throws {
        let image = Image(try TestPicture.bitmap(64, 64, alpha: alpha))
        let data = try #require(coder.encodedData(with: image, format: .undefined))
        #expect(ImageType(data) == format)
        let best = try #require(coder.encodedData(with: image, format: .JPEG))
        let options: SDImageCoderOptions = [.encodeCompressionQuality: 0.3]
        let worse = try #require(coder.encodedData(with: image, format: .JPEG, options: options))
        #expect(worse.count < best.count)
        #expect(coder.encodedData(with: nil, format: .PNG) == nil)
    }

    @Test("An image arrives by updates with all bytes so far, until the last")
    func incremental() throws {
        let data = try TestPicture.progressiveJPEG()
        let coder = SDImageIOCoder(incrementalWithOptions: [.decodeScaleFactor: 2])
        coder.updateIncrementalData(nil, finished: false)
        #expect(coder.incrementalDecodedImage(options: nil) == nil)
        coder.updateIncrementalData(data.prefix(data.count * 2 / 3), finished: false)
        let partial = try #require(coder.incrementalDecodedImage(options: [.decodeScaleFactor: 3]))
        coder.updateIncrementalData(data, finished: true)
        let image = try #require(coder.incrementalDecodedImage(options: nil))
        coder.updateIncrementalData(Data(), finished: true)
        let again = try #require(coder.incrementalDecodedImage(options: nil))
        #expect(partial.scale == 3 && partial.size == image.size && image.scale == 2)
        #expect(try partial.bitmap().tightBytes() != image.bitmap().tightBytes())
        #expect(try again.bitmap().tightBytes() == image.bitmap().tightBytes())
    }
}
