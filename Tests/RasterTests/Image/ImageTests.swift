import Raster
import Synchronization
import Testing

@Suite("Images, decoded and deferred", .serialized)
struct ImageTests {
    /// Counts how often it decodes.
    final class Provider: BitmapProvider {
        let bitmap: Bitmap
        let fails: Bool
        let decodeCount = Atomic(0)

        init(_ bitmap: Bitmap, fails: Bool = false) {
            self.bitmap = bitmap
            self.fails = fails
        }

        var info: BitmapInfo { bitmap.info }

        func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
            decodeCount.add(1, ordering: .relaxed)
            if fails { throw ImageError(.corrupt, "no pixels") }
            return try plan.region.map { (region) throws(ImageError) in try bitmap.cropped(to: region) } ?? bitmap
        }
    }

    @Test("Size and alpha need no decoding, and pixels one")
    func deferral() throws {
        let provider = Provider(try noisePicture(7, 4, .rgba8, .straight))
        let image = Image(deferred: provider, orientation: .right)
        #expect(image.size == PixelSize(width: 4, height: 7))
        #expect(image.hasAlpha)
        #expect(!image.isDecoded)
        #expect(provider.decodeCount.load(ordering: .relaxed) == 0)
        let copy = image
        _ = try image.bitmap()
        _ = try copy.bitmap()
        #expect(copy.isDecoded)
        #expect(provider.decodeCount.load(ordering: .relaxed) == 1)
        image.removeDecodedPixels()
        #expect(!copy.isDecoded)
        _ = try copy.bitmap()
        #expect(provider.decodeCount.load(ordering: .relaxed) == 2)
    }

    @Test("Pixels that were passed in can't be dropped")
    func finished() throws {
        let image = Image(try noisePicture(2, 2, .gray8))
        image.removeDecodedPixels()
        #expect(image.isDecoded)
    }

    @Test("A region is decoded alone, or cropped from decoded pixels")
    func parts() throws {
        let bitmap = try noisePicture(9, 9, .gray8)
        let provider = Provider(bitmap)
        let image = Image(deferred: provider)
        let plan = DecodingPlan(region: PixelRect(x: 2, y: 3, width: 4, height: 5))
        let expected = try bitmap.cropped(to: plan.region!).tightBytes()
        #expect(try image.bitmap(for: plan).tightBytes() == expected)
        #expect(!image.isDecoded)
        _ = try image.bitmap()
        #expect(try image.bitmap(for: plan).tightBytes() == expected)
        #expect(provider.decodeCount.load(ordering: .relaxed) == 2)
        #expect(throws: ImageError.self) {
            try image.bitmap(for: DecodingPlan(region: PixelRect(x: 8, y: 0, width: 2, height: 1)))
        }
    }

    @Test("A decompressed image is decoded and upright", arguments: Orientation.allCases)
    func decompressed(orientation: Orientation) throws {
        let bitmap = try noisePicture(7, 4, .rgba8, .straight)
        let image = Image(deferred: Provider(bitmap), scale: 2, orientation: orientation)
        let ready = try image.decompressed()
        #expect(ready.isDecoded)
        #expect(ready.orientation == .up)
        #expect(ready.scale == 2)
        #expect(ready.size == image.size)
        #expect(try ready.bitmap().tightBytes() == (try bitmap.oriented(by: orientation).tightBytes()))
    }

    @Test(
        "Pixels are upright, of regions too, and stored pixels are available", arguments: Orientation.allCases)
    func upright(orientation: Orientation) throws {
        let bitmap = try noisePicture(7, 4, .rgba8, .straight)
        let upright = try bitmap.oriented(by: orientation)
        for image in [
            Image(bitmap, orientation: orientation), Image(deferred: Provider(bitmap), orientation: orientation),
        ] {
            #expect(image.info == upright.info)
            #expect(try image.bitmap().tightBytes() == upright.tightBytes())
            #expect(try image.storedBitmap().tightBytes() == bitmap.tightBytes())
            let part = PixelRect(x: 1, y: 0, width: 3, height: 4)
            let plan = DecodingPlan(region: part)
            #expect(try image.bitmap(for: plan).tightBytes() == (try upright.cropped(to: part).tightBytes()))
        }
    }

    @Test("The decoder's error is thrown, and nothing is kept")
    func failure() throws {
        let image = Image(deferred: Provider(try noisePicture(2, 2, .gray8), fails: true))
        #expect(throws: ImageError(.corrupt, "no pixels")) { try image.decompressed() }
        #expect(throws: ImageError(.corrupt, "no pixels")) { try image.textureBuffer() }
        #expect(!image.isDecoded)
    }

    @Test("A texture is premultiplied, tight and upright, in either channel order", arguments: PixelFormat.allCases)
    func textures(format: PixelFormat) throws {
        let bitmap = try noisePicture(7, 5, format, .straight)
        let image = Image(bitmap, orientation: .left)
        let expected = try bitmap.oriented(by: .left).converted(to: .rgba8, alpha: .premultiplied).tightBytes()
        let rgba = try image.textureBuffer()
        #expect(rgba.bytes == expected)
        #expect((rgba.width, rgba.height, rgba.bytesPerRow) == (5, 7, 20))
        let bgra = try image.textureBuffer(.bgra)
        #expect(bgra.order == .bgra)
        #expect(bgra.bytes.count == expected.count)
        for pixel in 0..<35 {
            let (a, b) = (Array(expected[(4 * pixel)..<(4 * pixel + 4)]), bgra.bytes[(4 * pixel)..<(4 * pixel + 4)])
            #expect(Array(b) == [a[2], a[1], a[0], a[3]])
        }
    }

    @Test("Copies are identical, and images with equal pixels aren't")
    func identity() throws {
        let bitmap = try noisePicture(2, 2, .gray8)
        let image = Image(bitmap)
        let copy = image
        #expect(copy.identity == image.identity)
        #expect(Image(bitmap).identity != image.identity)
    }

    @Test("A scale of 0 means the display's")
    func scale() throws {
        let bitmap = try noisePicture(2, 2, .gray8)
        let before = DisplayScale.current
        defer { DisplayScale.current = before }
        DisplayScale.current = 3
        #expect(Image(bitmap, scale: 0).scale == 3)
        #expect(Image(bitmap, scale: 1.5).scale == 1.5)
        for wrong in [0, -2, Double.nan, .infinity] {
            DisplayScale.current = wrong
            #expect(DisplayScale.current == 3)
        }
    }
}
