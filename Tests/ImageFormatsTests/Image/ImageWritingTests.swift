import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Images written in one call")
struct ImageWritingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let inputs: [ImageFormat] = [.jpeg, .png, .jpng, .bmp, .gif]

    @Test(
        "From file to file, upright, in whatever format the extension names", arguments: inputs,
        ImageReadingTests.formats)
    func files(from input: ImageFormat, to output: ImageFormat) throws {
        for orientation in [Orientation.up, .upMirrored, .right] {
            let options = EncodingOptions(quality: 1, metadata: ImageMetadata(orientation: orientation))
            let bitmap = try Bitmap.grainy(PixelSize(width: 48, height: 32))
            let file = try folder.write(
                ImageDestination(format: input, options: options).encode(bitmap), to: "in.\(input.filenameExtension)")
            let path = folder.file("out.\(output.filenameExtension)")
            try Image(path: file).write(to: path, quality: 1)
            let written = try ImageSource.decode(Source(path: path))
            #expect(written.header.format == output && written.header.metadata.orientation == .up)
            // As what `tessera convert` does: the rows of the one into the other.
            let expected = try ImageDestination(format: output, options: EncodingOptions(quality: 1))
                .encode(ImageSource.decode(Source(path: file)).bitmap)
            #expect(try folder.read("out.\(output.filenameExtension)") == expected)
            #expect(try Image(path: file).data(as: output, quality: 1) == expected)
        }
    }

    @Test("What a format can't carry is turned in its pixels", arguments: ImageReadingTests.formats)
    func orientations(_ format: ImageFormat) throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 48, height: 32))
        for orientation in Orientation.allCases {
            let options = EncodingOptions(quality: 1, metadata: ImageMetadata(orientation: orientation))
            let destination = try ImageDestination(format: format, options: options)
            let rows = ByteBuffer()
            try destination.encode(bitmap.makeRowSource(), to: rows)
            for file in [try destination.encode(bitmap), rows.bytes] {
                let decoded = try ImageSource.decode(file).bitmap
                // A monochrome format has only the size to tell by.
                #expect(decoded.size == orientation.applied(to: bitmap.size))
                guard format != .xbm else { continue }
                let upright = try bitmap.oriented(by: orientation)
                #expect(try #require(decoded.noise(against: upright)) > 25, "\(format) \(orientation)")
            }
        }
    }

    @Test("An image's own orientation is in its pixels", arguments: Orientation.allCases)
    func ownOrientation(_ orientation: Orientation) throws {
        let bitmap = try Bitmap.pattern(20, 10)
        let expected = try bitmap.oriented(by: orientation).tightBytes()
        let file = try ImageDestination(format: .png).encode(bitmap)
        let deferred = Image(deferred: try EncodedImage(file), orientation: orientation)
        for image in [Image(bitmap, orientation: orientation), deferred] {
            #expect(try ImageSource.decode(image.data(as: .png)).bitmap.tightBytes() == expected)
            #expect(try ImageSource.decode(image.data(as: .bmp)).bitmap.size == image.size)
        }
    }

    @Test("An image from a file keeps its depth, and by policy its profile and metadata")
    func whatIsKept() throws {
        let profile = ColorProfile.icc(TestProfiles.wideRGB)
        let bitmap = try Bitmap.pattern(20, 10, .rgba16, alpha: .none, profile: profile)
        let resolution = ImageMetadata.Resolution(horizontal: 300, vertical: 300)
        let options = EncodingOptions(metadata: ImageMetadata(resolution: resolution))
        let image = try Image(data: ImageDestination(format: .png, options: options).encode(bitmap))
        #expect(image.info.profile == .sRGB)

        func header(_ policy: MetadataPolicy) throws -> ImageHeader {
            try ImageSource.header(of: image.data(as: .png, keeping: policy))
        }
        #expect(try header(.none).bitsPerChannel == 16)
        #expect(try header(.none).profile == .sRGB && header(.none).metadata.resolution == nil)
        #expect(try header(.profile).profile == profile && header(.profile).metadata.resolution == nil)
        let all = try header(.all)
        #expect(all.profile == profile)
        #expect(try #require(all.metadata.resolution).horizontal.rounded() == 300)
        let kept = try image.data(as: .png, keeping: .all)
        let decoding = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        #expect(try ImageSource.decode(kept, options: decoding).bitmap.tightBytes() == bitmap.tightBytes())
        // Options with metadata of their own have the last word.
        let own = EncodingOptions(metadata: ImageMetadata(resolution: .init(horizontal: 72, vertical: 72)))
        let written = try ImageSource.header(of: image.data(as: .png, options: own, keeping: .all))
        #expect(try #require(written.metadata.resolution).horizontal.rounded() == 72)
    }

    @Test("The quality is the format's, and the format may be named")
    func qualityAndFormat() throws {
        let image = Image(try Bitmap.grainy(PixelSize(width: 64, height: 64)))
        let path = folder.file("out.dat")
        try image.write(to: path, as: .jpeg, quality: 0.3)
        let small = try folder.read("out.dat")
        #expect(try small == ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.3)).encode(image))
        try image.write(to: path, as: .jpeg, quality: 0.9)
        #expect(try folder.read("out.dat").count > small.count)
        try image.write(to: path, as: .png, options: EncodingOptions())
        #expect(try Image(path: path).format == .png)
        let upper = folder.file("OUT.JPG")
        try image.write(to: upper)
        #expect(try Image(path: upper).format == .jpeg)
    }

    @Test("A file is written over itself, and read while it is")
    func inPlace() throws {
        let path = folder.file("photo.jpg")
        try Image(Bitmap.grainy(PixelSize(width: 200, height: 100))).write(to: path)
        try Image(path: path).thumbnail(fitting: 50).write(to: path)
        #expect(try Image(path: path).size == PixelSize(width: 50, height: 25))
        try Image(path: path).write(to: path, as: .png)
        #expect(try Image(path: path).format == .png)
        #expect(try folder.names() == ["photo.jpg"])
    }

    @Test("What can't be written leaves everything as it was, and says why")
    func failures() throws {
        let image = Image(try Bitmap.pattern(20, 10))
        let existing = try folder.write([1, 2, 3], to: "there.png")
        let cases:
            [(name: String, format: ImageFormat?, quality: Double, overwrites: Bool, code: ImageError.Code, String)] = [
                ("out.xyz", nil, 0.8, true, .invalidParameter, "no image format has the extension xyz; use one of"),
                ("out", nil, 0.8, true, .invalidParameter, "has no extension to choose a format by; pass as:"),
                (".png", nil, 0.8, true, .invalidParameter, "has no extension"),
                ("out.", nil, 0.8, true, .invalidParameter, "has no extension"),
                ("out.svg", nil, 0.8, true, .unsupported, "SVG can't be written"),
                ("out.png", .svg, 0.8, true, .unsupported, "SVG can't be written"),
                ("out.jpg", nil, 80, true, .invalidParameter, "a quality of 80.0 is not between 0 and 1"),
                ("out.jpg", nil, -1, true, .invalidParameter, "a quality of -1.0 is not between 0 and 1"),
                ("there.png", nil, 0.8, false, .inputOutput, "it exists already"),
                ("nowhere/out.png", nil, 0.8, true, .inputOutput, "nowhere/out.png"),
            ]
        for (name, format, quality, overwrites, code, words) in cases {
            let error = try #require(throws: ImageError.self, "\(name)") {
                try image.write(to: folder.file(name), as: format, quality: quality, overwriting: overwrites)
            }
            #expect(error.code == code && error.message.contains(words), "\(name): \(error)")
            #expect(try folder.names() == ["there.png"])
        }
        #expect(try folder.read("there.png") == [1, 2, 3])
        try image.write(to: existing)
        #expect(try Image(path: existing).size == image.size)
        try image.write(to: folder.file("new.png"), overwriting: false)
        #expect(try folder.names() == ["new.png", "there.png"])
    }

    @Test("The asynchronous forms write the same")
    func asynchronous() async throws {
        let image = Image(try Bitmap.grainy(PixelSize(width: 64, height: 64)))
        try await image.write(to: folder.file("a.png"))
        #expect(try await image.data(as: .png) == folder.read("a.png"))
        try await image.write(to: folder.file("a.jpg"), quality: 0.5)
        #expect(try await image.data(as: .jpeg, quality: 0.5) == folder.read("a.jpg"))
    }

    @Test(
        "Rows are written while they come: bytes are out before the last row is in",
        arguments: [ImageFormat.jpeg, .png])
    func streams(_ format: ImageFormat) throws {
        // Above what is put together first.
        let rows = CountedRows(PixelSize(width: 3000, height: 3000))
        let output = FirstBytes(of: rows)
        try ImageDestination(format: format).encodeWholeIfSmall(rows, to: output)
        #expect(rows.count == 3000)
        #expect(try #require(output.rowCount) < 2000)
    }
}

/// Opaque noise, counted.
private final class CountedRows: RowSource {
    let info: BitmapInfo
    private(set) var count = 0
    private var state: UInt64 = 1

    init(_ size: PixelSize) { info = BitmapInfo(size: size, format: .rgba8) }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let filled = min(rows.count, info.size.height - count)
        for y in 0..<filled {
            var row = rows.row(y, as: RGBA8.self)
            for x in stride(from: 0, to: row.count, by: 1) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                row[x] = RGBA8(UInt8(truncatingIfNeeded: state >> 56), UInt8(truncatingIfNeeded: state >> 48), 0, 255)
            }
        }
        count += filled
        return filled
    }
}

/// Notes how many rows were read when the first bytes came behind the file's header.
private final class FirstBytes: ByteSink {
    private let rows: CountedRows
    private var byteCount = 0
    private(set) var rowCount: Int?

    init(of rows: CountedRows) { self.rows = rows }

    func write(_ bytes: RawSpan) {
        byteCount += bytes.byteCount
        if byteCount > 10_000, rowCount == nil { rowCount = rows.count }
    }
}
