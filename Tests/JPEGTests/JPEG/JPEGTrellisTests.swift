import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// JPEGs whose coefficients are weighed against their bits.
@Suite("JPEG encoding with trellis quantisation")
struct JPEGTrellisTests {
    private func options(
        _ quality: Double, _ subsampling: EncodingOptions.JPEG.Subsampling = .yuv420, progressive: Bool = false,
        trellis: Bool = true
    ) -> EncodingOptions {
        EncodingOptions(
            quality: quality,
            jpeg: EncodingOptions.JPEG(subsampling: subsampling, isProgressive: progressive, usesTrellis: trellis))
    }

    private func encode(_ bitmap: Bitmap, _ options: EncodingOptions) throws -> [UInt8] {
        try JPEGEncoderTests.encode(bitmap, options)
    }

    @Test(
        "At the best quality little is lost, at any size and subsampling",
        arguments: EncodingOptions.JPEG.Subsampling.allCases, [(1, 1), (8, 8), (17, 5), (90, 67), (300, 301)])
    func roundTrip(subsampling: EncodingOptions.JPEG.Subsampling, size: (Int, Int)) throws {
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: size.0, height: size.1))
        for isProgressive in [false, true] {
            let session = DecoderSession(
                JPEGCodec(), try encode(bitmap, options(1, subsampling, progressive: isProgressive)))
            #expect(session.isComplete && session.header?.isProgressive == isProgressive)
            let error = JPEGDecoderTests.meanError(try #require(session.bitmap).tightBytes(), bitmap.tightBytes())
            #expect(error < (subsampling == .yuv444 ? 0.6 : 8), "\(error)")
        }
    }

    @Test("Grey is one component")
    func gray() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 51, height: 37), format: .gray8)
        let session = DecoderSession(JPEGCodec(), try encode(bitmap, options(1)))
        #expect(session.header?.colorModel == .gray)
        #expect(JPEGDecoderTests.meanError(try #require(session.bitmap).tightBytes(), bitmap.tightBytes()) < 0.6)
    }

    @Test("Scans don't change the pixels", arguments: [0.2, 0.6, 0.9])
    func scans(quality: Double) throws {
        // Large enough for scans on several threads.
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 403, height: 310))
        let plain = try encode(bitmap, options(quality))
        let progressive = try encode(bitmap, options(quality, progressive: true))
        #expect(plain != progressive)
        #expect(
            DecoderSession(JPEGCodec(), plain).bitmap?.tightBytes()
                == DecoderSession(JPEGCodec(), progressive).bitmap?.tightBytes())
    }

    @Test("djpeg decodes it to our pixels", .needs(DJPEG.tool), arguments: [false, true])
    func djpeg(isProgressive: Bool) throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 301, height: 245))
        let file = try encode(bitmap, options(0.7, progressive: isProgressive))
        #expect(try DJPEG.decode(file)?.samples == DecoderSession(JPEGCodec(), file).bitmap?.pnmSamples)
    }

    @Test("Strips of any height make the same file", arguments: [1, 7, 16, 100])
    func strips(portion: Int) throws {
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 130, height: 203))
        for subsampling in [EncodingOptions.JPEG.Subsampling.yuv420, .yuv444] {
            let output = ByteBuffer()
            let encoder = try JPEGCodec().makeEncoder(bitmap.info, options: options(0.8, subsampling), output: output)
            for y in stride(from: 0, to: 203, by: portion) {
                try encoder.write(bitmap.rows.extracting(y..<min(203, y + portion)))
            }
            try encoder.finish()
            #expect(try output.bytes == encode(bitmap, options(0.8, subsampling)))
        }
    }

    @Test("Missing rows are an error, and so are too many")
    func wrongRows() throws {
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 40, height: 40))
        let encoder = try JPEGCodec().makeEncoder(bitmap.info, options: options(0.8), output: ByteBuffer())
        try encoder.write(bitmap.rows.extracting(0..<20))
        #expect(throws: ImageError.self) { try encoder.finish() }
        #expect(throws: ImageError.self) { try encoder.write(bitmap.rows) }
    }

    @Test("A quality scores hardly less than without, in fewer bytes", arguments: [0.3, 0.5, 0.7, 0.9])
    func scores(quality: Double) throws {
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 600, height: 400))
        for subsampling in [EncodingOptions.JPEG.Subsampling.yuv420, .yuv444] {
            func result(trellis: Bool) throws -> (byteCount: Int, score: Double) {
                let file = try encode(bitmap, options(quality, subsampling, progressive: true, trellis: trellis))
                let decoded = try ImageSource.decode(file).bitmap.makeRowSource()
                return (file.count, try SSIMULACRA2.score(of: decoded, comparedTo: bitmap.makeRowSource()))
            }
            let (ours, plain) = (try result(trellis: true), try result(trellis: false))
            #expect(ours.score > plain.score - 5, "\(ours), not \(plain)")
            #expect(ours.byteCount < plain.byteCount, "\(ours), not \(plain)")
        }
    }

    @Test("A plain colour has longer runs of blocks than a code can have", arguments: [PixelFormat.gray8, .rgba8])
    func longRuns(format: PixelFormat) throws {
        // 40,000 blocks of luma, all of them alike.
        let size = PixelSize(width: 1600, height: 1600)
        let bitmap = try Bitmap.plain(RGBA8(128, 128, 128, 255), size).converted(to: format, alpha: AlphaMode.none)
        let file = try encode(bitmap, options(0.9, progressive: true))
        #expect(file.count < 8192)
        #expect(DecoderSession(JPEGCodec(), file).bitmap?.tightBytes() == bitmap.tightBytes())
    }

    @Test("Files are smaller at the same score", arguments: [0.5, 0.75, 0.9])
    func smaller(quality: Double) throws {
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 600, height: 400))
        func score(_ file: [UInt8]) throws -> Double {
            try SSIMULACRA2.score(
                of: ImageSource.decode(file).bitmap.makeRowSource(), comparedTo: bitmap.makeRowSource())
        }
        let plain = try encode(bitmap, options(quality, progressive: true, trellis: false))
        let wanted = try score(plain)
        let destination = try ImageDestination(
            format: .jpeg, options: EncodingOptions(target: .ssimulacra2(wanted.rounded(.down))))
        #expect(try destination.encode(bitmap).count < plain.count)
    }

    @Test("Metadata and profile stand before the image")
    func metadata() throws {
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 300, height: 300))
        var options = options(0.8, progressive: true)
        options.metadata.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        options.metadata.resolution = ImageMetadata.Resolution(horizontal: 300, vertical: 150)
        let header = try ImageSource.header(of: encode(bitmap, options))
        #expect(header.metadata.xmp == options.metadata.xmp)
        #expect(header.metadata.resolution == options.metadata.resolution)
    }

    @Test("A JPNG's colours can have it, too")
    func jpng() throws {
        let bitmap = try SamplePicture.fruit.makeBitmap(size: PixelSize(width: 200, height: 150))
        let options = options(0.8)
        let plain = try ImageDestination(format: .jpng, options: EncodingOptions(quality: 0.8)).encode(bitmap)
        let file = try ImageDestination(format: .jpng, options: options).encode(bitmap)
        #expect(file.count < plain.count)
        let decoded = try ImageSource.decode(file).bitmap
        #expect(decoded.info.alpha.hasAlpha && decoded.size == bitmap.size)
    }
}
