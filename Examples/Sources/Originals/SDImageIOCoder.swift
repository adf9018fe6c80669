// The article on SDWebImage's SDImageIOCoder: each method that it lists, as Swift's importer spells it.
import Foundation
import TesseraCompatibility

enum SDImageIOCoderDocument {
    // MARK: Formats and abilities

    static func abilities(_ data: Data) {
        let coder = SDImageIOCoder.shared
        expect(coder.canDecode(from: data) && !coder.canDecode(from: nil))
        expect(coder.canEncode(to: .JPEG) && SDImageIOCoder.canEncode(to: .PNG))
        // canDecodeFromHEICFormat, canEncodeToHEICFormat, …
        for format in [SDImageFormat.webP, .HEIC, .HEIF, .TIFF] {
            print("SDImageIOCoder:", NSData.sd_UTType(from: format), SDImageIOCoder.canDecode(from: format))
        }

        let format = NSData.sd_imageFormat(forImageData: data)
        let imageUTType = NSData.sd_UTType(from: format)
        expect(format == .PNG && imageUTType == "public.png")
        expect(NSData.sd_imageFormat(fromUTType: imageUTType) == format)
        expect(NSData.sd_imageFormat(forImageData: nil) == .undefined)
    }

    // MARK: Decoding

    static func decoding(_ data: Data) throws {
        let image = try require(SDImageIOCoder.shared.decodedImage(with: data, options: [.decodeScaleFactor: 2]))
        expect(image.scale == 2 && image.sd_imageFormat == .PNG)
    }

    // MARK: Decoding while the image arrives

    static func progressiveDecoding(_ data: Data) throws {
        let coder = SDImageIOCoder(incrementalWithOptions: [.decodeScaleFactor: 3])
        coder.updateIncrementalData(data.prefix(data.count / 2), finished: false)
        let partial = coder.incrementalDecodedImage(options: nil)
        coder.updateIncrementalData(data, finished: true)
        let image = try require(coder.incrementalDecodedImage(options: nil))
        expect(partial?.size == image.size && image.scale == 3)
    }

    // MARK: Encoding

    static func encoding(_ image: UIImage) {
        let coder = SDImageIOCoder.shared
        let transparent = coder.encodedData(with: image, format: .undefined, options: nil)
        let opaque = coder.encodedData(with: image, format: .JPEG, options: [.encodeCompressionQuality: 0.5])
        expect(NSData.sd_imageFormat(forImageData: transparent) == .PNG)
        expect(NSData.sd_imageFormat(forImageData: opaque) == .JPEG)
    }

    static func run(_ image: UIImage) throws {
        let data = Data(try image.data(as: .png))
        abilities(data)
        try decoding(data)
        try progressiveDecoding(data)
        encoding(image)
        print("SDImageIOCoder: abilities, decoding, decoding on arrival, encoding")
    }
}
