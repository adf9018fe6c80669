import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing

/// Libraries use as many threads as there are processors free; files and pixels must not show how many.
@Suite("Numbers of threads")
struct ThreadCountTests {
    private static let formats = [ImageFormat.webP, .avif, .heic, .jpegXL].filter { format in
        CodecRegistry.builtIn.encodableFormats.contains(format)
    }

    private static func withThreads<R>(_ count: Int, _ body: () throws -> R) rethrows -> R {
        try ProcessorShare.$processorCount.withValue(count) { try body() }
    }

    private static func picture(_ format: ImageFormat, isDeep: Bool) throws -> Bitmap {
        // Several groups of JPEG XL, superblocks of AV1 and coding trees of HEVC; wide enough for WebP's threads.
        let bitmap = try SamplePicture.fruit.makeBitmap(size: PixelSize(width: 700, height: 530))
        return isDeep ? try bitmap.converted(to: .rgba16, alpha: bitmap.alpha) : bitmap
    }

    @Test("Files and pixels are the same for one thread and for several", arguments: formats, [false, true])
    func equal(format: ImageFormat, isDeep: Bool) throws {
        let picture = try Self.picture(format, isDeep: isDeep)
        for isLossless in [false, true] {
            var options = EncodingOptions(isLossless: isLossless)
            options.avif.speed = 8
            options.jpegXL.effort = 4
            let encode = { try ImageDestination(format: format, options: options).encode(picture) }
            let file = try Self.withThreads(1, encode)
            #expect(try Self.withThreads(64, encode) == file)
            let deep = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
            let one = try Self.withThreads(1) { try ImageSource.decode(file, options: deep) }
            let several = try Self.withThreads(64) { try ImageSource.decode(file, options: deep) }
            #expect(one.error == nil && several.error == nil && one.bitmap.info == several.bitmap.info)
            #expect(one.bitmap.tightBytes() == several.bitmap.tightBytes())
        }
    }

    @Test("A truncated file gives the same rows and error", arguments: formats)
    func truncated(format: ImageFormat) throws {
        let file = try ImageDestination(format: format).encode(Self.picture(format, isDeep: false))
        for part in [file.count / 3, file.count * 9 / 10] {
            let decode = { () -> (ImageError.Code?, [UInt8]) in
                do {
                    let decoded = try ImageSource.decode(Array(file.prefix(part)))
                    return (decoded.error?.code, decoded.bitmap.tightBytes())
                } catch let error as ImageError {
                    return (error.code, [])
                }
            }
            let (one, several) = try (Self.withThreads(1, decode), Self.withThreads(64, decode))
            #expect(one.0 == several.0 && one.0 != nil)
            #expect(one.1 == several.1)
        }
    }
}
