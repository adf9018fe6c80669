import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// The articles' examples, run. `examplesAreTheArticles` holds them to the text.
@Suite("The articles' examples")
struct ArticleTests {
    private let folder: TemporaryFolder
    private let path: String
    private let bytes: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        bytes = try ImageDestination(format: .png).encode(Bitmap.pattern(64, 48))
        path = try folder.write(bytes, to: "photo.png")
    }

    @Test("The article's example reads a file")
    func readingAFile() throws {
        let source = try ImageRowSource(Source(path: path))
        print(source.header.format, source.header.size, source.header.hasAlpha)
        let bitmap = try source.makeBitmap()
        #expect(bitmap.size == PixelSize(width: 64, height: 48))
    }

    @Test("The article's example reads a smaller image")
    func readingSmall() throws {
        let size = try ImageSource.header(of: bytes).size.fitted(within: PixelSize(width: 32, height: 32))
        let source = try ImageRowSource(Source(bytes), plan: DecodingPlan(targetSize: size))
        let bitmap = try source.makeBitmap()
        #expect(bitmap.width >= 32 && bitmap.height >= 24)
    }

    @Test("The article's example reads a truncated file")
    func readingWhatIsLeft() throws {
        let bytes = Array(bytes.dropLast(100))
        let decoded = try ImageSource.decode(bytes)
        if let error = decoded.error { print("incomplete: \(error)") }
        #expect(decoded.error?.code == .truncated)
    }

    @Test("The article's example defers decoding")
    func readingLater() throws {
        let image = try ImageSource.image(bytes)
        print(image.size, image.hasAlpha)
        let bitmap = try image.bitmap()
        #expect(bitmap.size == image.size)
    }

    @Test("The article's example decodes arriving bytes")
    func arriving() async throws {
        let chunks = AsyncStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: 500) {
                continuation.yield(Array(bytes[start..<min(bytes.count, start + 500)]))
            }
            continuation.finish()
        }
        var shown: [PixelSize] = []
        func show(_ bitmap: Bitmap?) { shown += [bitmap?.size].compactMap { $0 } }

        let source = ImageSource()
        for await chunk in chunks {
            if try !source.append(chunk).isEmpty { show(try source.currentBitmap()) }
        }
        try source.finish()
        show(try source.currentBitmap())
        #expect(shown.count > 1 && source.isComplete)
    }

    @Test("The article's example writes a file")
    func writing() throws {
        let path = folder.file("copy.jpg")
        let bitmap = try ImageSource.decode(bytes).bitmap
        let destination = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.9))
        let file = try AtomicFile(path: path)
        try destination.encode(bitmap, to: file)
        try file.commit()
        #expect(try ImageSource.header(of: folder.read("copy.jpg")).format == .jpeg)
    }

    @Test("The article's example plays an animation")
    func animating() throws {
        func draw(_ index: Int) throws(ImageError) -> Bitmap {
            try MutableBitmap(BitmapInfo(size: PixelSize(width: 8, height: index + 1), format: .gray8)).freeze()
                .resampled(to: PixelSize(width: 8, height: 8))
        }
        let output = ByteBuffer()
        let destination = try ImageDestination(format: .png, options: EncodingOptions(loopCount: 3))
        try destination.encode(count: 12, to: output) { (index) throws(ImageError) in (try draw(index), 0.1) }

        let bytes = output.bytes
        var shown: [Double] = []
        func show(_ bitmap: Bitmap, for duration: Double) { shown.append(duration) }
        let animation = try AnimatedImageSource(bytes)
        print(animation.frames.count, animation.loopCount)
        for (index, frame) in animation.frames.enumerated() {
            show(try animation.frame(at: index), for: frame.duration)
        }
        #expect(shown == Array(repeating: 0.1, count: 12) && animation.loopCount == 3)
    }

    @Test("The article's example drops pixels")
    func dropping() async {
        // In a process of its own: every image feels it.
        await #expect(processExitsWith: .success) {
            let bytes = try ImageDestination(format: .png).encode(Bitmap.pattern(4, 4))
            let image = try ImageSource.image(bytes, forcesDecompression: true)
            ImageMemory.removeDecodedPixels()
            precondition(!image.isDecoded)
        }
    }

    @Test("The article's example draws a page", .needs(CommandLineTool("pdftocairo")))
    func drawingAPage() throws {
        let pages = (1...3).map { PDFFile.Page(100, Double($0) * 50, "") }
        let path = try folder.write(PDFFile.bytes(pages), to: "paper.pdf")

        let size = PixelSize(width: 1240, height: 1754)
        let page = try ImageSource.decode(
            Source(path: path), plan: DecodingPlan(targetSize: size), options: DecodingOptions(imageIndex: 2))
        #expect(page.bitmap.size == size && page.header.storedSize == PixelSize(width: 100, height: 150))
    }

    @Test("The article's example decodes data that arrives as a whole")
    func arrivingAsAWhole() throws {
        // All but its end.
        let received = Array(try ImageDestination(format: .jpeg).encode(Bitmap.pattern(64, 48)).dropLast(2))
        var shown: [PixelSize] = []
        func show(_ image: Image?) { shown += [image?.size].compactMap { $0 } }

        let coder = ProgressiveImageCoder()
        coder.updateIncrementalData(received, finished: false)
        show(try coder.incrementalDecodedImage())
        #expect(shown.count == 1)
    }

    @Test("The article's example reads metadata")
    func readingMetadata() throws {
        let exif: [UInt8] =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
            + [0, 1, 0x90, 0x03, 0, 2, 0, 0, 0, 20, 0, 0, 0, 44, 0, 0, 0, 0] + Array("2024:05:31 12:00:00".utf8) + [0]
        let written = EncodingOptions(embeddedThumbnailSize: 20, metadata: ImageMetadata(exif: exif))
        let bytes = try ImageDestination(format: .jpeg, options: written).encode(Bitmap.pattern(64, 48))
        var shown: [PixelSize] = []
        func show(_ bitmap: Bitmap) { shown.append(bitmap.size) }

        let metadata = try ImageSource.header(of: bytes).metadata
        if let date = metadata.dates.original { print("taken", date.exifText, date.exifOffsetText ?? "") }
        if let thumbnail = metadata.embeddedThumbnail { show(try ImageSource.decode(thumbnail).bitmap) }
        #expect(metadata.dates.original?.exifText == "2024:05:31 12:00:00")
        #expect(shown == [PixelSize(width: 20, height: 15)])
    }

    #if SVG
    @Test("The article's example reads drawings")
    func readingDrawings() throws {
        var registry = CodecRegistry.default
        registry.register(SVGCodec(workerPath: "/opt/gallery/tessera-svg"))
        #expect(registry.canDecode(.svg))
    }
    #endif

    @Test("The article's example reads a preview")
    func readingAPreview() throws {
        let preview = try ImageSource.decode(bytes, options: DecodingOptions(imageIndex: 0))
        #expect(preview.bitmap.size == PixelSize(width: 64, height: 48))
    }

    @Test("The article's example reads within limits")
    func readingWithinLimits() throws {
        var options = DecodingOptions()
        options.limits.maximumPixelCount = 50_000_000
        options.limits.maximumCompressionRatio = 1_000
        let decoded = try ImageSource.decode(bytes, options: options)
        #expect(decoded.error == nil)
    }

    @Test("The article's example chooses a format")
    func choosingAFormat() throws {
        let bitmap = try Bitmap.pattern(64, 48)
        let format = ImageDestination.defaultFormat(for: bitmap, examinesPixels: true, prefersHEIF: true)
        let data = try ImageDestination(format: format).encode(bitmap)
        #expect(try ImageSource.header(of: data).format == .png)
    }

    @Test("The article's example fits a file into a size")
    func fitting() throws {
        let bitmap = try Bitmap.pattern(64, 48)
        let options = EncodingOptions(
            quality: 0.9, maximumPixelSize: 2048, maximumByteCount: 200_000, embeddedThumbnailSize: 160)
        let data = try ImageDestination(format: .jpeg, options: options).encode(bitmap)
        #expect(data.count <= 200_000)
    }

    @Test("The article's example writes for a target")
    func target() throws {
        let bitmap = try Bitmap.pattern(64, 48, alpha: .none)
        let options = EncodingOptions(target: .ssimulacra2(80))
        let data = try ImageDestination(format: .jpeg, options: options).encode(bitmap)
        let decoded = try ImageSource.decode(data).bitmap
        let score = try SSIMULACRA2.score(of: decoded.makeRowSource(), comparedTo: bitmap.makeRowSource())
        #expect(score >= 80)
    }

    @Test("The article's example keeps metadata")
    func keepingMetadata() throws {
        let (input, output) = (path, folder.file("copy.jpg"))
        let policy = MetadataPolicy.all
        let source = try ImageRowSource(Source(path: input), options: DecodingOptions(color: policy.color))
        let options = EncodingOptions(metadata: policy.metadata(of: source.header))
        let file = try AtomicFile(path: output)
        try ImageDestination(format: .jpeg, options: options).encode(source, to: file)
        try file.commit()
        #expect(try ImageSource.header(of: folder.read("copy.jpg")).size == PixelSize(width: 64, height: 48))
    }

    @Test("The article's example converts a file")
    func converting() throws {
        let (input, output) = (path, folder.file("copy.jpg"))
        let rows = try ImageRowSource(Source(path: input))
        let file = try AtomicFile(path: output)
        try ImageDestination(format: .jpeg).encode(rows, to: file)
        try file.commit()
        #expect(try ImageSource.header(of: folder.read("copy.jpg")).size == PixelSize(width: 64, height: 48))
    }

    @Test("The article's custom codec works")
    func aCodecOfOnesOwn() throws {
        let pixels: [UInt8] = [0, 80, 160, 255, 240, 0, 80, 160, 1, 2, 3, 4, 9, 8, 7, 6]
        let bytes = Array("farbfeld".utf8) + [0, 0, 0, 2, 0, 0, 0, 2] + pixels.flatMap { [$0, $0] }
        var registry = CodecRegistry.default
        registry.register(FarbfeldCodec())
        let decoded = try ImageSource.decode(bytes, registry: registry)
        #expect(decoded.bitmap.tightBytes() == pixels)
        #expect(try ImageDestination(format: .farbfeld, registry: registry).encode(decoded.bitmap) == bytes)

        #expect(errorCode { try ImageSource.decode(bytes) } == .unknownFormat)
        #expect(try ImageSource.decode(bytes.dropLast(), registry: registry).error?.code == .truncated)
        for file in [Array(bytes.prefix(8)), Array(bytes.prefix(15)), Array(bytes.prefix(8)) + bytes] {
            #expect(errorCode { try ImageSource.decode(file, registry: registry) } != nil)
        }
        let region = DecodingPlan(region: PixelRect(x: 1, y: 1, width: 1, height: 1))
        #expect(
            try ImageSource.decode(bytes, plan: region, registry: registry).bitmap.tightBytes() == pixels.suffix(4))
    }

    /// Every line of Swift in the catalogue is in this folder's sources, QOI's or PNG's, in that order.
    @Test("The article's examples are these tests")
    func examplesAreTheArticles() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let formats = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/ImageFormats")
        let own = ["ArticleTests.swift", "FarbfeldCodec.swift"].map { here.appendingPathComponent($0) }
        let folder = ["QOI/QOIFormat", "QOI/QOICodec", "QOI/QOIDecoder", "QOI/QOIEncoder", "PNG/PNGFormat"].map {
            formats.appendingPathComponent("\($0).swift")
        }
        let sources = try (own + folder).map { file in
            try String(contentsOf: file, encoding: .utf8)
                .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let catalogue = formats.appendingPathComponent("Documentation.docc")
        let articles = try FileManager.default.contentsOfDirectory(atPath: catalogue.path).filter {
            $0.hasSuffix(".md")
        }
        #expect(!articles.isEmpty)
        for article in articles {
            let text = try String(contentsOf: catalogue.appendingPathComponent(article), encoding: .utf8)
            for block in text.components(separatedBy: "```swift\n").dropFirst() {
                let lines = block.components(separatedBy: "```")[0].split(separator: "\n")
                    .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
                let isThere = sources.contains { source in
                    source.indices.contains { source[$0...].starts(with: lines) }
                }
                #expect(isThere, "\(article): \(lines.first ?? "an empty example") and what follows")
            }
        }
    }
}
