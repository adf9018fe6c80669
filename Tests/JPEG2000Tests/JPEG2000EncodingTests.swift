#if JPEG2000
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("JPEG 2000: encoding")
struct JPEG2000EncodingTests {
    private func encoded(
        _ bitmap: Bitmap, _ options: EncodingOptions, as format: ImageFormat = .jpeg2000
    ) throws -> [UInt8] {
        try ImageDestination(format: format, options: options).encode(bitmap)
    }

    private func decoded(_ file: [UInt8], plan: DecodingPlan = .full) throws -> Bitmap {
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        let decoded = try ImageSource.decode(file, plan: plan, options: options)
        if let error = decoded.error { throw error }
        return decoded.bitmap
    }

    private static let tiles = [nil, PixelSize(width: 32, height: 48), PixelSize(width: 1000, height: 40)]

    @Test(
        "Lossless files come back to the bit", arguments: [PixelFormat.gray8, .gray16, .rgba8, .rgba16],
        [ImageFormat.jpeg2000, .jpeg2000Codestream])
    func lossless(_ pixels: PixelFormat, _ format: ImageFormat) throws {
        for alpha in pixels.isGray ? [AlphaMode.none] : [.none, .straight] {
            let bitmap = try Bitmap.pattern(133, 101, pixels, alpha: alpha)
            for tile in Self.tiles {
                for layers in [1, 3] {
                    var options = EncodingOptions(isLossless: true)
                    options.jpeg2000 = EncodingOptions.JPEG2000(tileSize: tile, layerCount: layers)
                    let file = try encoded(bitmap, options, as: format)
                    #expect(try ImageSource.header(of: Source(file)).format == format)
                    let back = try decoded(file)
                    #expect(back.info == bitmap.info && back.tightBytes() == bitmap.tightBytes(), "\(pixels) \(alpha)")
                }
            }
        }
    }

    @Test("Quality decides between size and noise")
    func quality() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 300, height: 200))
        var (lastCount, lastNoise) = (0, 0.0)
        for quality in [0.0, 0.4, 0.8, 1] {
            let file = try encoded(bitmap, EncodingOptions(quality: quality))
            let noise = try #require(try decoded(file).noise(against: bitmap))
            #expect(file.count > lastCount && noise > lastNoise)
            // The noise of a quantizer with that quality's step, where the image has detail everywhere.
            let step = 22 * (quality >= 0.5 ? 2 - 2 * quality : 0.5 / max(0.05, quality))
            #expect(noise > min(50, 48 - 10 * log10(max(1, step * step) / 12)) - 3, "\(quality): \(noise) dB")
            (lastCount, lastNoise) = (file.count, noise)
        }
    }

    @Test("Narrow tiles at the edges have no more noise than others")
    func narrowTiles() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 110, height: 77))
        var options = EncodingOptions(quality: 0.8)
        options.jpeg2000 = EncodingOptions.JPEG2000(tileSize: PixelSize(width: 52, height: 70), levelCount: 6)
        let back = try decoded(encoded(bitmap, options))
        for part in [PixelRect(x: 104, y: 0, width: 6, height: 77), PixelRect(x: 0, y: 70, width: 110, height: 7)] {
            let noise = try back.cropped(to: part).noise(against: bitmap.cropped(to: part))
            #expect((try #require(noise)) > 30)
        }
    }

    @Test("A smooth tile keeps its faint texture, and a rough one gets no more bits than it needs")
    func smoothness() throws {
        let size = PixelSize(width: 256, height: 256)
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .gray8))
        bitmap.withMutableRows(0..<256) { rows in
            var generator = SeededGenerator(3)
            for y in 0..<256 {
                var row = rows.row(y, as: Gray8.self)
                // Waves of 4 steps, and on the right noise of 128.
                for x in 0..<256 {
                    row[x] = Gray8(
                        x < 128 ? UInt8(200 + (x / 8 + y / 8) % 2 * 4) : UInt8.random(in: 0...127, using: &generator))
                }
            }
        }
        let original = bitmap.freeze()
        var options = EncodingOptions(quality: 0.8)
        options.jpeg2000.tileSize = PixelSize(width: 128, height: 256)
        let back = try decoded(encoded(original, options))
        let halves = try [0, 128].map { x -> Double in
            let part = PixelRect(x: x, y: 0, width: 128, height: 256)
            return try #require(try back.cropped(to: part).noise(against: original.cropped(to: part)))
        }
        #expect(halves[0] > 42 && halves[1] > 35 && halves[1] < 43, "\(halves)")
    }

    @Test("A file of several layers holds lower qualities", .needs(OpenJPEG.decompress))
    func layers() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 200, height: 150))
        var options = EncodingOptions(quality: 0.8)
        options.jpeg2000.layerCount = 4
        let file = try encoded(bitmap, options)
        var noises: [Double] = []
        for count in 1...4 {
            let components = try #require(try OpenJPEG.components(file, type: "jp2", arguments: ["-l", "\(count)"]))
            let pixels = bitmap.pixels
            let errors = components[1].samples.enumerated().map { Double($0.element - Int(pixels[$0.offset].green)) }
            noises.append(-errors.reduce(0) { $0 + $1 * $1 })
        }
        #expect(noises == noises.sorted() && Set(noises).count == 4)
        let whole = try #require(try OpenJPEG.components(file, type: "jp2"))
        #expect(try decoded(file).pixels.map { Int($0.green) } == whole[1].samples)
    }

    @Test("As many levels as asked for, and by default as leave 512 pixels", .needs(OpenJPEG.decompress))
    func levels() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 257, height: 130))
        for (count, expected) in [(0, 0), (2, 2), (nil, 5)] as [(Int?, Int)] {
            var options = EncodingOptions(isLossless: true)
            options.jpeg2000.levelCount = count
            let file = try encoded(bitmap, options)
            #expect(try OpenJPEG.components(file, type: "jp2", arguments: ["-r", "\(expected)"]) != nil)
            #expect(try OpenJPEG.components(file, type: "jp2", arguments: ["-r", "\(expected + 1)"]) == nil)
        }
    }

    @Test("Other readers see the same pixels", .needsPillow, arguments: [PixelFormat.gray8, .rgba8])
    func pillow(_ pixels: PixelFormat) throws {
        let bitmap = try Bitmap.pattern(60, 45, pixels, alpha: pixels.isGray ? .none : .straight)
        var options = EncodingOptions(isLossless: true)
        options.jpeg2000.tileSize = PixelSize(width: 32, height: 32)
        let picture = try #require(try Pillow.page(of: encoded(bitmap, options), as: nil))
        #expect(picture.mode == (pixels.isGray ? "L" : "RGBA") && picture.samples == bitmap.tightBytes())
    }

    @Test("Profile, resolution, EXIF and XMP are kept in a file of boxes; a codestream is sRGB")
    func metadata() throws {
        let profile = TestProfiles.rgb(
            red: [0.515, 0.241, -0.001], green: [0.292, 0.692, 0.042], blue: [0.157, 0.067, 0.784], gamma: 2.2)
        let bitmap = try Bitmap.pattern(40, 30, .rgba8, alpha: .none, profile: .icc(profile))
        let exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
        let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        let metadata = ImageMetadata(
            exif: exif, xmp: xmp, resolution: ImageMetadata.Resolution(horizontal: 300, vertical: 72))
        let options = EncodingOptions(isLossless: true, metadata: metadata)
        let header = try ImageSource.header(of: Source(encoded(bitmap, options)))
        #expect(header.profile == .icc(profile) && header.metadata.xmp == xmp && header.metadata.exif != nil)
        let resolution = try #require(header.metadata.resolution)
        #expect(abs(resolution.horizontal - 300) < 0.01 && abs(resolution.vertical - 72) < 0.01)
        let stream = try encoded(bitmap, options, as: .jpeg2000Codestream)
        #expect(try ImageSource.header(of: Source(stream)).profile == .sRGB)
        #expect(stream.starts(with: [0xFF, 0x4F]))
        #expect(try decoded(stream).tightBytes() != bitmap.tightBytes())
    }

    @Test("Sizes at the ends of what a file can hold")
    func sizes() throws {
        for size in [
            PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 700), PixelSize(width: 2000, height: 2),
        ] {
            let bitmap = try Bitmap.grainy(size)
            let file = try encoded(bitmap, EncodingOptions(isLossless: true))
            #expect(try decoded(file).tightBytes() == bitmap.tightBytes())
            #expect(
                try decoded(file, plan: DecodingPlan(targetSize: PixelSize(width: 1, height: 1))).size.pixelCount > 0)
        }
        var options = EncodingOptions()
        options.jpeg2000.tileSize = PixelSize(width: 32, height: 32)
        let large = BitmapInfo(size: PixelSize(width: 32 * 300, height: 32 * 300), format: .gray8)
        #expect(
            errorCode {
                try JPEG2000Codec().makeEncoder(large, options: options, output: ImageFormats.ByteBuffer())
            } == .unsupported)
    }
}
#endif
