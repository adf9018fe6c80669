import ImageFormats
import Raster
import Testing

@Suite("Writing other pixel formats")
struct ConversionTests {
    @Test("Grey, 16 bits and premultiplied alpha are converted", arguments: [ImageFormat.bmp, .qoi, .pnm, .tga])
    func conversions(format: ImageFormat) throws {
        for (pixels, alpha) in [(PixelFormat.gray8, AlphaMode.none), (.gray16, .none), (.rgba16, .premultiplied)] {
            let info = BitmapInfo(size: PixelSize(width: 2, height: 2), format: pixels, alpha: alpha)
            let file = try ImageDestination(format: format).encode(MutableBitmap(info).freeze())
            let decoded = try ImageSource.decode(file, options: DecodingOptions(color: .asStored))
            #expect(decoded.error == nil && decoded.header.format == format)
            #expect(decoded.bitmap.alpha.hasAlpha == alpha.hasAlpha)
            #expect(decoded.bitmap.size == info.size)
        }
    }
}
