#if TIFF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Previews in raw files of cameras")
struct CameraRawTests {
    private typealias Page = TIFFFixture.Page

    private static func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
        try ImageDestination(format: .jpeg).encode(Bitmap.grainy(PixelSize(width: width, height: height)))
    }

    /// A directory whose only strip is `jpeg`.
    private static func page(_ jpeg: [UInt8], _ width: Int, _ height: Int, photometric: UInt64 = 6) -> Page {
        Page(
            width, height, photometric: photometric, bits: [8, 8, 8], more: [254: (4, [1]), 259: (3, [7])],
            chunks: [jpeg])
    }

    private static let raw = Page(
        64, 48, photometric: 32803, bits: [16], more: [254: (4, [0])], chunks: [[UInt8](repeating: 1, count: 6144)])

    /// A DNG with an uncompressed thumbnail, raw data, and JPEGs of these widths, three quarters as high.
    private static func dng(previews widths: [Int], orientation: UInt64 = 1) throws -> [UInt8] {
        var first = Page(
            4, 3, photometric: 2, bits: [8, 8, 8],
            more: [254: (4, [1]), 274: (3, [orientation]), 50706: (1, [1, 4, 0, 0])],
            chunks: [[UInt8](repeating: 9, count: 36)])
        first.children = [330: [raw] + (try widths.map { page(try jpeg($0, $0 * 3 / 4), $0, $0 * 3 / 4) })]
        return TIFFFixture().file(first)
    }

    @Test("The largest JPEG is decoded, and the format says that it is a preview")
    func largest() throws {
        let file = try Self.dng(previews: [16, 80, 40], orientation: 6)
        let decoded = try ImageSource.decode(file)
        #expect(decoded.error == nil && decoded.header.format == .cameraRaw)
        #expect(decoded.header.format.name == "camera raw preview")
        #expect(decoded.header.storedSize == PixelSize(width: 80, height: 60))
        #expect(
            decoded.header.metadata.orientation == .right && decoded.bitmap.size == PixelSize(width: 60, height: 80))
        let expected = try ImageSource.decode(Self.jpeg(80, 60)).bitmap.oriented(by: .right)
        #expect(decoded.bitmap.tightBytes() == expected.tightBytes())
    }

    @Test("A file on disk is read in place, at a reduced size too")
    func inPlace() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.dng(previews: [160]), to: "photo.dng")
        #expect(try ImageRowSource(Source(path: path)).makeBitmap().size == PixelSize(width: 160, height: 120))
        let plan = DecodingPlan(targetSize: PixelSize(width: 40, height: 30))
        #expect(
            try ImageRowSource(Source(path: path), plan: plan).makeBitmap().size == PixelSize(width: 80, height: 60))
    }

    @Test("A camera's reduced image with raw data below it (NEF, ARW), and a CR2 by its mark")
    func kinds() throws {
        let jpeg = try Self.jpeg(32, 24)
        var first = Self.page(jpeg, 32, 24)
        first.fields[271] = (2, Array("NIKON CORPORATION\0".utf8).map { UInt64($0) })
        first.children = [330: [Self.raw]]
        #expect(try ImageSource.header(of: Source(TIFFFixture().file(first))).format == .cameraRaw)
        first.fields[271] = nil
        #expect(errorCode { try ImageSource.header(of: Source(TIFFFixture().file(first))) } == .unsupported)
        // A directory at 16 with JPEGInterchangeFormat and its length.
        let fields: [[UInt8]] = [
            [0x01, 0x02, 4, 0, 1, 0, 0, 0, 64, 0, 0, 0],
            [0x02, 0x02, 4, 0, 1, 0, 0, 0, UInt8(jpeg.count & 255), UInt8(jpeg.count >> 8), 0, 0],
        ]
        let head: [UInt8] = [0x49, 0x49, 42, 0, 16, 0, 0, 0] + Array("CR".utf8) + [2, 0, 0, 0, 0, 0, 2, 0]
        let directory = head + fields.flatMap { $0 } + [0, 0, 0, 0]
        let file = directory + [UInt8](repeating: 0, count: 64 - directory.count) + jpeg
        let decoded = try ImageSource.decode(file)
        #expect(decoded.header.format == .cameraRaw && decoded.bitmap.size == PixelSize(width: 32, height: 24))
    }

    @Test("Without a JPEG the file is refused; its pages are still there by their index")
    func withoutPreview() throws {
        let file = try Self.dng(previews: [])
        #expect(errorCode { try ImageSource.decode(file) } == .unsupported)
        let page = try ImageSource.decode(file, options: DecodingOptions(imageIndex: 0))
        #expect(page.bitmap.size == PixelSize(width: 4, height: 3) && page.header.format == .tiff)
    }

    @Test("Raw data that is a lossless JPEG isn't a preview, nor are bytes beyond the file")
    func notPreviews() throws {
        let lossless = LosslessJPEG().file
        for other in [lossless, [0xFF, 0xD8, 0xFF], [UInt8](repeating: 0xFF, count: 50)] {
            var first = Page(
                4, 3, photometric: 2, bits: [8, 8, 8], more: [254: (4, [1]), 50706: (1, [1, 4, 0, 0])],
                chunks: [[UInt8](repeating: 9, count: 36)])
            first.children = [330: [Self.raw, Self.page(other, 64, 48)]]
            #expect(errorCode { try ImageSource.decode(TIFFFixture().file(first)) } == .unsupported)
        }
        let file = try Self.dng(previews: [160])
        // Behind the raw data's directory; before it there is nothing that says that the thumbnail isn't the image.
        for count in stride(from: file.count / 2, to: file.count, by: 97) {
            let code = errorCode {
                if let error = try ImageSource.decode(Array(file.prefix(count))).error { throw error }
            }
            #expect(code != nil, "\(count) of \(file.count) bytes")
        }
    }
}
#endif
