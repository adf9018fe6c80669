import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Images that are decoded later")
struct EncodedImageTests {
    @Test("The image's description is known without decoding", arguments: Orientation.allCases)
    func whatItWillBeIsKnownWithoutPixels(_ orientation: Orientation) throws {
        let bitmap = try Bitmap.pattern(11, 9, profile: .icc(TestProfiles.wideRGB))
        var head = RowsHead(bitmap.info)
        head.orientation = orientation
        let bytes = head.file([bitmap])
        for options in [
            DecodingOptions(), DecodingOptions(color: .asStored), DecodingOptions(appliesOrientation: false),
        ] {
            let image = try EncodedImage(bytes, options: options, registry: .rows)
            #expect(image.info == (try image.makeBitmap(.full)).info)
            #expect(image.header.storedSize == bitmap.size)
            // The same without any row in the file.
            #expect(try EncodedImage(head.encoded, options: options, registry: .rows).info == image.info)
        }
    }

    @Test("A decoding plan is applied")
    func aPlanIsHonoured() throws {
        let bitmap = try Bitmap.pattern(11, 9)
        let image = try EncodedImage(RowsHead(bitmap.info).file([bitmap]), registry: .rows)
        let region = PixelRect(x: 3, y: 4, width: 5, height: 2)
        #expect(
            try image.makeBitmap(DecodingPlan(region: region)).tightBytes() == bitmap.cropped(to: region).tightBytes())
        #expect(
            errorCode { try image.makeBitmap(DecodingPlan(region: PixelRect(x: 9, y: 0, width: 3, height: 1))) }
                == .invalidParameter)
    }

    @Test("An incomplete image throws when its pixels are requested")
    func anIncompletePictureThrowsWhenItIsAskedFor() throws {
        let bitmap = try Bitmap.pattern(11, 9)
        let image = try EncodedImage(Array(RowsHead(bitmap.info).file([bitmap]).dropLast()), registry: .rows)
        #expect(errorCode { try image.makeBitmap(.full) } == .truncated)
    }

    @Test("An image is decoded on request")
    func aPictureDecodesWhenItIsAskedTo() throws {
        let bitmap = try Bitmap.pattern(11, 9)
        let file = RowsHead(bitmap.info).file([bitmap])
        let deferred = try ImageSource.image(file, scale: 2, registry: .rows)
        #expect(!deferred.isDecoded && deferred.size == bitmap.size && deferred.hasAlpha && deferred.scale == 2)
        #expect(try deferred.bitmap().tightBytes() == bitmap.tightBytes())
        #expect(deferred.isDecoded)
        #expect(try ImageSource.image(file, forcesDecompression: true, registry: .rows).isDecoded)
        #expect(
            errorCode { try ImageSource.image(Array(file.dropLast()), forcesDecompression: true, registry: .rows) }
                == .truncated)
    }
}
