import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing

@Suite("GIF encoding")
struct GIFEncodingTests {
    @Test(
        "Few colours are written exactly",
        arguments: [
            1, 2, 3, 4, 5, 16, 17, 100, 128, 255, 256,
        ], [false, true])
    func exact(count: Int, hasTransparency: Bool) throws {
        let count = min(count, hasTransparency ? 255 : 256)
        let bitmap = try GIFPictures.random(37, 29, colors: count, hasTransparency: hasTransparency)
        let file = try GIFPictures.encode(bitmap)
        let session = DecoderSession(gif: file)
        #expect(session.pixels == bitmap.pixels && session.error == nil && session.isComplete)
        #expect(session.header?.sequence == nil && session.header?.hasAlpha == hasTransparency)
    }

    @Test("Any size can be written", arguments: [(1, 1), (1, 500), (500, 1), (3, 2), (300, 200)] as [(Int, Int)])
    func sizes(width: Int, height: Int) throws {
        // Long runs and noise: the table of strings is filled and begun anew.
        let bitmap = try GIFPictures.random(width, height, colors: min(200, width * height), hasTransparency: false)
        #expect(DecoderSession(gif: try GIFPictures.encode(bitmap)).pixels == bitmap.pixels)
        let flat = try GIFPictures.random(width, height, colors: 1, hasTransparency: false)
        #expect(DecoderSession(gif: try GIFPictures.encode(flat)).pixels == flat.pixels)
    }

    @Test("Alpha is cut off at one half")
    func alphaIsCutInTheMiddle() throws {
        let pixels = (0..<256).map { RGBA8(10, 20, 30, UInt8($0)) }
        let bitmap = try GIFPictures.bitmap(PixelSize(width: 256, height: 1), pixels)
        let shown = DecoderSession(gif: try GIFPictures.encode(bitmap)).pixels
        #expect(shown == (0..<256).map { $0 < 128 ? RGBA8(0, 0, 0, 0) : RGBA8(10, 20, 30) })
        let clear = try GIFPictures.bitmap(PixelSize(width: 2, height: 1), [RGBA8(1, 2, 3, 0), RGBA8(4, 5, 6, 127)])
        #expect(DecoderSession(gif: try GIFPictures.encode(clear)).pixels == [RGBA8(0, 0, 0, 0), RGBA8(0, 0, 0, 0)])
        // Where the pixels have no alpha that byte means nothing.
        let opaque = try GIFPictures.bitmap(PixelSize(width: 256, height: 1), pixels, alpha: .none)
        #expect(Set(DecoderSession(gif: try GIFPictures.encode(opaque)).pixels) == [RGBA8(10, 20, 30)])
    }

    @Test("A palette has at most the requested number of colours", arguments: [2, 5, 256], [false, true])
    func colorCounts(count: Int, isDithered: Bool) throws {
        for picture in [SamplePicture.fruit, .cutout] {
            let bitmap = try picture.makeBitmap(size: PixelSize(width: 60, height: 45))
            let options = EncodingOptions(gif: EncodingOptions.GIF(maximumColorCount: count, isDithered: isDithered))
            let pixels = DecoderSession(gif: try GIFPictures.encode(bitmap, options: options)).pixels
            #expect(Set(pixels).count <= count)
            #expect(Set(pixels).count >= min(count, 16) / 2)
            // What was transparent still is, and nothing else.
            let hasAlpha = bitmap.alpha.hasAlpha
            let expected: [Bool] = bitmap.pixels.map { hasAlpha && $0.alpha < 128 }
            let shown: [Bool] = pixels.map { $0.alpha == 0 }
            #expect(shown == expected)
        }
    }

    @Test("Dithering keeps the mean of colours outside the palette")
    func ditheringKeepsTheMeanOfWhatThePaletteLacks() throws {
        // A ramp in two colours: without dithering half of it is of one colour.
        let size = PixelSize(width: 256, height: 64)
        let pixels = (0..<size.pixelCount).map { (place: Int) -> RGBA8 in
            let value = UInt8(place % 256)
            return RGBA8(value, value, value)
        }
        let bitmap = try GIFPictures.bitmap(size, pixels, alpha: .none)
        var options = EncodingOptions(gif: EncodingOptions.GIF(maximumColorCount: 2))
        func mean(_ columns: Range<Int>) throws -> Double {
            let shown = DecoderSession(gif: try GIFPictures.encode(bitmap, options: options)).pixels
            let values = shown.indices.filter { columns.contains($0 % 256) }.map { Double(shown[$0].green) }
            return values.reduce(0, +) / Double(values.count)
        }
        for start in stride(from: 80, to: 176, by: 16) {
            let shown = try mean(start..<(start + 16))
            #expect(abs(shown - Double(start) - 7.5) < 6)
        }
        options.gif.isDithered = false
        #expect(try mean(100..<116) == mean(80..<96))
    }

    @Test(
        "Dithering adds no dots of a distant colour",
        arguments: [(.valley, 36), (.fruit, 65)] as [(SamplePicture, Double)])
    func dots(picture: SamplePicture, limit: Double) throws {
        let bitmap = try picture.makeBitmap(size: PixelSize(width: 480, height: 320))
        let shown = DecoderSession(gif: try GIFPictures.encode(bitmap)).pixels
        let original = bitmap.pixels
        let furthest = shown.indices.filter { shown[$0].alpha > 0 }.map { (index: Int) -> Int in
            let (pixel, drawn) = (original[index], shown[index])
            let red = Int(pixel.red) - Int(drawn.red)
            let green = Int(pixel.green) - Int(drawn.green)
            let blue = Int(pixel.blue) - Int(drawn.blue)
            return red * red + green * green + blue * blue
        }.max()
        #expect(Double(try #require(furthest)).squareRoot() < limit)
    }

    @Test("Invalid images and options are refused")
    func refusals() throws {
        let bitmap = try GIFPictures.random(3, 3, colors: 2, hasTransparency: false)
        for count in [-1, 0, 1, 257] {
            let options = EncodingOptions(gif: EncodingOptions.GIF(maximumColorCount: count))
            #expect(errorCode { try GIFPictures.encode(bitmap, options: options) } == .invalidParameter)
        }
        #expect(
            errorCode { try GIFPictures.encode(bitmap, options: EncodingOptions(loopCount: -1)) } == .invalidParameter)
        #expect(errorCode { try GIFPictures.encode(Bitmap.pattern(3, 3, .gray8)) } == .invalidParameter)
        let large = BitmapInfo(size: PixelSize(width: 65536, height: 1), format: .rgba8)
        #expect(
            errorCode { try GIFCodec().makeEncoder(large, options: EncodingOptions(), output: ByteBuffer()) }
                == .limitExceeded)
        let encoder = try GIFCodec().makeEncoder(bitmap.info, options: EncodingOptions(), output: ByteBuffer())
        try encoder.write(bitmap.rows.extracting(0..<2))
        #expect(errorCode { try encoder.finish() } == .invalidParameter)
        #expect(errorCode { try encoder.write(bitmap.rows) } == .invalidParameter)
    }

    @Test("Any image can be written")
    func anyPictureCanBeWritten() throws {
        for format in PixelFormat.allCases {
            let bitmap = try Bitmap.pattern(20, 10, format, alpha: .premultiplied)
            let file = try ImageDestination(format: .gif, registry: .builtIn).encode(bitmap)
            #expect(DecoderSession(gif: file).isComplete)
        }
        let wide = try Bitmap.pattern(20, 10, profile: .icc(TestProfiles.wideRGB))
        #expect(
            DecoderSession(gif: try ImageDestination(format: .gif, registry: .builtIn).encode(wide)).header?.profile
                == .sRGB)
    }
}
