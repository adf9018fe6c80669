import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("The format of images, and images of files")
struct ImageOriginTests {
    private static let formats: [ImageFormat] = [.jpeg, .png, .gif, .bmp, .jpng]

    @Test("An image has its file's format, decoded or not, and a created one has none", arguments: formats)
    func format(_ format: ImageFormat) throws {
        let bitmap = try Bitmap.pattern(20, 10, .rgba8, alpha: .straight)
        let bytes = try ImageDestination(format: format).encode(bitmap)
        let image = try ImageSource.image(bytes)
        #expect(image.format == format)
        #expect(try image.decompressed().format == format)
        #expect(try ImageSource.image(bytes, forcesDecompression: true).format == format)
        #expect(try ProgressiveImageCoder().decode(bytes).format == format)
        #expect(try Image(image.bitmap()).format == nil)
        #expect(try Image(image.decompressed().bitmap(), scale: 2).format == nil)
    }

    @Test("A custom format is kept")
    func ownFormat() throws {
        let bytes = try ImageDestination(format: .rows, registry: .rows).encode(Bitmap.pattern(20, 10))
        #expect(try ImageSource.image(bytes, registry: .rows).format == .rows)
    }

    @Test("An image and its bitmap are written upright", arguments: Orientation.allCases)
    func upright(_ orientation: Orientation) throws {
        let bitmap = try Bitmap.pattern(20, 10)
        let image = Image(bitmap, orientation: orientation)
        let expected = try bitmap.oriented(by: orientation).tightBytes()
        let destination = try ImageDestination(format: .png)
        let buffer = ByteBuffer()
        try destination.encode(image, to: buffer)
        for file in [try destination.encode(image), try destination.encode(image.bitmap()), buffer.bytes] {
            let decoded = try ImageSource.decode(file)
            #expect(decoded.bitmap.tightBytes() == expected)
            #expect(decoded.header.metadata.orientation == .up)
        }
    }
}
