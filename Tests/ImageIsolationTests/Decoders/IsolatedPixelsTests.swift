import ImageFormats
import ImageFormatsTestSupport
import ImageIsolation
import Raster
import TestSupport
import Testing

extension IsolationTests {
    /// Pictures come out of a worker as they do without one.
    @Suite("Decoding in a worker")
    struct IsolatedPixelsTests {
        private static let writable = CodecRegistry.builtIn.encodableFormats

        private static func picture(for format: ImageFormat) throws -> Bitmap {
            let size =
                format == .ico || format == .cur ? PixelSize(width: 64, height: 48) : PixelSize(width: 333, height: 257)
            return try .grainy(size)
        }

        private static func isSame(_ one: Bitmap, _ other: Bitmap) -> Bool {
            one.info == other.info && one.tightBytes() == other.tightBytes()
        }

        @Test("Every writable format decodes whole, by rows, reduced and in part", arguments: writable)
        func everyFormat(format: ImageFormat) throws {
            let isolation = try IsolatedDecoding()
            let file = try ImageDestination(format: format).encode(Self.picture(for: format))
            let size = try ImageSource.header(of: file).size
            let plans = [
                DecodingPlan.full, DecodingPlan(targetSize: PixelSize(width: size.width / 3, height: size.height / 3)),
                DecodingPlan(region: PixelRect(x: 7, y: 5, width: 31, height: 29)),
            ]
            for plan in plans {
                let expected = try ImageSource.decode(file, plan: plan)
                let decoded = try ImageSource.decode(file, plan: plan, registry: isolation.registry)
                #expect(decoded.header == expected.header && decoded.error == nil)
                #expect(Self.isSame(decoded.bitmap, expected.bitmap))
                let rows = try ImageRowSource(Source(file), plan: plan, registry: isolation.registry)
                #expect(try Self.isSame(rows.makeBitmap(), expected.bitmap))
                try rows.finish()
            }
            #expect(isolation.registry.codec(for: format) is IsolatedCodec)
            #expect(isolation.startedWorkerCount >= 1)
        }

        @Test("SVG and PDF are drawn in the process that they always have", .needs(CommandLineTool("pdftocairo")))
        func drawings() throws {
            let isolation = try IsolatedDecoding()
            for file in [
                Array("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='6'><path d='M0 0h4v6z'/></svg>".utf8),
                PDFFile.bytes([PDFFile.Page(8, 6, "0 0 4 6 re f")]),
            ] {
                let expected = try ImageSource.decode(file).bitmap
                let decoded = try ImageSource.decode(file, registry: isolation.registry)
                #expect(decoded.error == nil && Self.isSame(decoded.bitmap, expected))
            }
            #expect(isolation.startedWorkerCount == 0)
        }

        @Test("AVC in HEIF has a library that a worker loads beside libheif")
        func secondLibrary() throws {
            // Without the library both fail.
            guard let expected = try? ImageSource.decode(CodedAVC.file) else { return }
            let isolation = try IsolatedDecoding()
            let decoded = try ImageSource.decode(CodedAVC.file, registry: isolation.registry)
            #expect(decoded.error == nil && Self.isSame(decoded.bitmap, expected.bitmap))
            #expect(isolation.startedWorkerCount == 1)
        }

        @Test("No codec offers a way around its worker", arguments: CodecRegistry.builtIn.decodableFormats)
        func noWayPast(format: ImageFormat) throws {
            let codec = try #require(IsolatedDecoding().registry.codec(for: format))
            #expect(!(codec is any TileAddressable))
            #expect(!(codec is any PlaneDecoding))
            #expect(!(codec is any Recompressing))
        }

        @Test("16 bits, and stored or converted colours, come through", arguments: [ImageFormat.png, .jpeg])
        func profiles(format: ImageFormat) throws {
            let isolation = try IsolatedDecoding()
            let pixels: PixelFormat = format == .png ? .rgba16 : .rgba8
            let picture = try Bitmap.pattern(
                70, 50, pixels, alpha: format == .png ? .straight : .none, profile: .icc(TestProfiles.wideRGB))
            let file = try ImageDestination(format: format).encode(picture)
            for color in [DecodingOptions.Color.sRGB, .asStored] {
                for bits in [8, 16] {
                    let options = DecodingOptions(color: color, maximumBitsPerChannel: bits)
                    let expected = try ImageSource.decode(file, options: options)
                    let decoded = try ImageSource.decode(file, options: options, registry: isolation.registry)
                    #expect(Self.isSame(decoded.bitmap, expected.bitmap))
                    #expect(decoded.header == expected.header)
                }
            }
        }

        @Test(
            "A base in high dynamic range becomes the rendition that its map leads to",
            arguments: [ImageFormat.heic, .avif, .jpegXL].filter { writable.contains($0) })
        func highBase(format: ImageFormat) throws {
            let isolation = try IsolatedDecoding()
            let file = try GainMapFixture.file(GainMapFixture.highBase().image, as: format)
            for bits in [8, 16] {
                let options = DecodingOptions(maximumBitsPerChannel: bits)
                let expected = try ImageSource.decode(file, options: options)
                let decoded = try ImageSource.decode(file, options: options, registry: isolation.registry)
                #expect(decoded.error == nil && decoded.bitmap.profile == .sRGB)
                #expect(Self.isSame(decoded.bitmap, expected.bitmap))
            }
        }

        @Test(
            "Animations decode frame by frame",
            arguments: writable.filter {
                CodecRegistry.builtIn.capabilities(of: $0).isSuperset(of: [.encodeAnimation, .decodeAnimation])
            })
        func animations(format: ImageFormat) throws {
            let isolation = try IsolatedDecoding()
            let output = ByteBuffer()
            try ImageDestination(format: format).encode(count: 5, to: output) { (index) throws(ImageError) in
                (try Self.frame(index), 0.1 * Double(index + 1))
            }
            let expected = try AnimatedImageSource(output.bytes)
            let decoded = try AnimatedImageSource(output.bytes, registry: isolation.registry)
            #expect(decoded.frames == expected.frames && decoded.header == expected.header)
            for index in [4, 0, 2] {
                #expect(try Self.isSame(decoded.frame(at: index), expected.frame(at: index)))
            }
            var options = DecodingOptions()
            options.imageIndex = 3
            let one = try ImageSource.decode(output.bytes, options: options, registry: isolation.registry)
            #expect(try Self.isSame(one.bitmap, expected.frame(at: 3)))
        }

        private static func frame(_ index: Int) throws(ImageError) -> Bitmap {
            do {
                return try .pattern(40, 30, seed: 17 * index)
            } catch {
                throw ImageError(.invalidParameter, "\(error)")
            }
        }

        @Test("Passes come as their bytes do")
        func passes() throws {
            let isolation = try IsolatedDecoding()
            let picture = try Bitmap.grainy(PixelSize(width: 120, height: 90))
            var encoding = EncodingOptions()
            encoding.jpeg.isProgressive = true
            let file = try ImageDestination(format: .jpeg, options: encoding).encode(picture)
            let (plain, isolated) = (ImageSource(), ImageSource(registry: isolation.registry))
            for start in stride(from: 0, to: file.count, by: 700) {
                let piece = Array(file[start..<min(file.count, start + 700)])
                #expect(try plain.append(piece) == isolated.append(piece))
                let (one, other) = try (plain.currentBitmap(), isolated.currentBitmap())
                #expect(one?.tightBytes() == other?.tightBytes())
            }
            #expect(try plain.finish() == isolated.finish())
        }

        @Test("Rows wider than the initial shared memory come through")
        func wide() throws {
            let isolation = try IsolatedDecoding()
            let picture = try Bitmap.pattern(1_200_000, 3)
            let file = try ImageDestination(format: .png).encode(picture)
            var options = DecodingOptions()
            options.limits.maximumSideLength = 2_000_000
            let decoded = try ImageSource.decode(file, options: options, registry: isolation.registry)
            #expect(decoded.bitmap.tightBytes() == picture.tightBytes())
            // That worker isn't kept.
            #expect(isolation.idleWorkerCount == 0)
        }

        @Test("Errors are the same, with the partial image")
        func errors() throws {
            let isolation = try IsolatedDecoding()
            for format in [ImageFormat.png, .jpeg, .gif, .bmp] {
                let file = try ImageDestination(format: format).encode(.grainy(PixelSize(width: 90, height: 80)))
                let cut = Array(file.prefix(file.count * 2 / 3))
                let expected = try ImageSource.decode(cut)
                let decoded = try ImageSource.decode(cut, registry: isolation.registry)
                #expect(decoded.error == expected.error && decoded.bitmap.tightBytes() == expected.bitmap.tightBytes())
            }
            // It was the same worker all the time.
            #expect(isolation.startedWorkerCount == 1)
        }

        @Test("The corpus decodes the same in a worker", .needsCorpus)
        func corpus() throws {
            let isolation = try IsolatedDecoding()
            let folders = [
                "valid/heif", "valid/avif", "valid/jxl", "valid/webp", "valid/tiff", "valid/png", "valid/jpeg",
            ]
            let files = folders.flatMap { Corpus.files($0).prefix(12) }
            for path in files {
                let bytes = try Corpus.bytes(path)
                guard bytes.count < 4 << 20 else { continue }
                let expected = Result { try ImageSource.decode(bytes) }
                let decoded = Result { try ImageSource.decode(bytes, registry: isolation.registry) }
                switch (expected, decoded) {
                case (.success(let one), .success(let other)):
                    #expect(one.error == other.error && Self.isSame(one.bitmap, other.bitmap), "\(path)")
                case (.failure(let one), .failure(let other)):
                    #expect(one as? ImageError == other as? ImageError, "\(path)")
                default:
                    Issue.record("\(path): \(expected) and \(decoded)")
                }
            }
        }
    }
}
