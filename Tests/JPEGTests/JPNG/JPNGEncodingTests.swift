import ImageFormats
import ImageFormatsTestSupport
import JPNGContainer
import Raster
import SamplePictures
import Testing

@Suite("JPNG: encoding")
struct JPNGEncodingTests {
    typealias Fixture = JPNGFixture

    @Test("Version 1 keeps alpha exactly", arguments: SamplePicture.allCases)
    func alphaSurvivesVersionOneToTheBit(picture: SamplePicture) throws {
        let bitmap = try picture.makeBitmap(size: PixelSize(width: 201, height: 133))
        let file = try Fixture.encode(bitmap)
        let container = try Fixture.container(file)
        #expect(container.footer.majorVersion == 1)
        #expect(container.maskKind == .png)
        #expect(container.footer.identifier == .standard)
        #expect(container.slackRange.isEmpty)
        let decoded = try Fixture.decode(file)
        #expect(Fixture.alpha(decoded.bitmap) == Fixture.alpha(bitmap))
        #expect(Self.colorError(decoded.bitmap, bitmap) < 9)
    }

    @Test("Version 2 has a JPEG mask with its own quality")
    func versionTwoHasAJPEGMaskOfItsOwnQuality() throws {
        let bitmap = try Fixture.cutout(160, 120)
        func file(_ maskQuality: Double?) throws -> [UInt8] {
            try Fixture.encode(
                bitmap, .jpng,
                EncodingOptions(quality: 0.5, jpng: EncodingOptions.JPNG(version: 2, maskQuality: maskQuality)))
        }
        let (coarse, fine) = (try file(nil), try file(1))
        for file in [coarse, fine] {
            let container = try Fixture.container(file)
            #expect(container.footer.majorVersion == 2)
            #expect(container.maskKind == .jpeg)
        }
        #expect(try Fixture.container(fine).maskRange.count > Fixture.container(coarse).maskRange.count)
        #expect(try Fixture.container(fine).colorRange == Fixture.container(coarse).colorRange)
        let alpha = Fixture.alpha(bitmap)
        func worst(_ file: [UInt8]) throws -> Int {
            zip(Fixture.alpha(try Fixture.decode(file).bitmap), alpha).map { abs(Int($0) - Int($1)) }.max()!
        }
        #expect(try worst(fine) <= 6)
        #expect(try worst(coarse) <= 60)
    }

    @Test("The tag follows JFIF's segment, before metadata, and can be left out", arguments: [1, 2])
    func theTagFollowsJFIF(version: Int) throws {
        let bitmap = try Fixture.cutout()
        let metadata = ImageMetadata(orientation: .left, xmp: Array("<x/>".utf8))
        var options = EncodingOptions(metadata: metadata, jpng: .init(version: version))
        let tagged = try Fixture.encode(bitmap, .jpng, options)
        #expect(Array(tagged[20..<29]) == JPNGTag.bytes)
        #expect(tagged[29] == 0xFF && tagged[30] == 0xE1)
        options.jpng.isTagged = false
        let plain = try Fixture.encode(bitmap, .jpng, options)
        let untagged = try JPNGContainer.untagging(tagged.span.bytes)
        #expect(plain == untagged)
        #expect(try Fixture.decode(plain).bitmap.pixels == Fixture.decode(tagged).bitmap.pixels)
        #expect(try ImageSource.header(of: tagged, registry: .builtIn).metadata.orientation == .left)
        // A JPEG of the same image has none.
        let jpeg = try Fixture.encode(bitmap, .jpeg, EncodingOptions(metadata: metadata))
        let range = JPNGTag.range(in: jpeg.span.bytes)
        #expect(range == nil)
    }

    @Test("An opaque image gets an opaque mask")
    func anOpaquePictureGetsAnOpaqueMask() throws {
        let bitmap = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 70, height: 50))
        let decoded = try Fixture.decode(Fixture.encode(bitmap))
        #expect(decoded.header.format == .jpng)
        #expect(Set(Fixture.alpha(decoded.bitmap)) == [255])
    }

    @Test("Grey stays grey")
    func grayStaysGray() throws {
        let file = try Fixture.encode(Fixture.gray(50, 20) { x, y in UInt8(5 * x + y / 2) })
        let color = try Fixture.decode(Array(file[Fixture.container(file).colorRange]))
        #expect(color.bitmap.format == .gray8)
        #expect(Set(Fixture.alpha(try Fixture.decode(file).bitmap)) == [255])
    }

    @Test("Any pixel format is converted")
    func anyPixelsAreConverted() throws {
        let bitmap = try Fixture.cutout(64, 48)
        let expected = try Fixture.decode(Fixture.encode(bitmap)).bitmap
        let deep = try bitmap.converted(to: .rgba16, alpha: .straight)
        #expect(try Fixture.decode(Fixture.encode(deep)).bitmap.pixels == expected.pixels)
        let multiplied = try bitmap.converted(to: .rgba8, alpha: .premultiplied)
        let decoded = try Fixture.decode(Fixture.encode(multiplied)).bitmap
        #expect(Fixture.alpha(decoded) == Fixture.alpha(bitmap))
        #expect(Self.colorError(decoded, bitmap) < Self.colorError(expected, bitmap) + 0.5)
    }

    @Test("The file doesn't depend on how rows arrive")
    func theFileDoesNotDependOnHowRowsCome() throws {
        let bitmap = try Fixture.cutout(90, 70)
        let whole = try Fixture.encode(bitmap)
        for count in [1, 5, 16, 17, 69] {
            let output = ByteBuffer()
            let encoder = try JPNGCodec().makeEncoder(bitmap.info, options: EncodingOptions(), output: output)
            for first in stride(from: 0, to: 70, by: count) {
                try encoder.write(bitmap.rows.extracting(first..<min(70, first + count)))
            }
            try encoder.finish()
            #expect(output.bytes == whole)
        }
    }

    @Test("Profile and metadata are in the colour part")
    func profileAndMetadataGoIntoTheColorPart() throws {
        // As much of a profile as shows that it is one for colours.
        var profile = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        profile.replaceSubrange(0..<4, with: [0, 0, 2, 88])
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
        let bitmap = try Fixture.cutout(20, 20).withMeaning(alpha: .straight, profile: .icc(profile))
        let options = EncodingOptions(metadata: ImageMetadata(orientation: .left, xmp: Array("<x/>".utf8)))
        let header = try ImageSource.header(of: Fixture.encode(bitmap, .jpng, options), registry: .builtIn)
        #expect(header.profile == .icc(profile))
        #expect(header.metadata.orientation == .left)
        #expect(header.metadata.xmp == Array("<x/>".utf8))
    }

    @Test("Every subsampling fills its own units", arguments: EncodingOptions.JPEG.Subsampling.allCases)
    func everySubsamplingFillsItsOwnUnits(subsampling: EncodingOptions.JPEG.Subsampling) throws {
        let bitmap = try Fixture.cutout(101, 67)
        let options = EncodingOptions(quality: 0.95, jpeg: EncodingOptions.JPEG(subsampling: subsampling))
        let decoded = try Fixture.decode(Fixture.encode(bitmap, .jpng, options)).bitmap
        #expect(Fixture.alpha(decoded) == Fixture.alpha(bitmap))
        #expect(Self.colorError(decoded, bitmap) < 4)
    }

    /// What lies under transparency: the same picture in noise, black or white has to give nearly the same file.
    @Test("Invisible colours cost little")
    func whatNobodySeesCostsLittle() throws {
        let bitmap = try SamplePicture.fruit.makeBitmap(size: PixelSize(width: 320, height: 240))
        let shown = bitmap.pixels
        var noise = SystemlessNoise()
        let filled = try Fixture.color(320, 240) { x, y in
            let pixel = shown[y * 320 + x]
            return pixel.alpha > 0 ? pixel : RGBA8(noise.next(), noise.next(), noise.next(), 0)
        }
        let clean = try Fixture.encode(filled)
        #expect(clean == (try Fixture.encode(bitmap)))
        // As the JPEG of the same picture with black under transparency.
        let plain = try Fixture.color(320, 240, alpha: .none) { x, y in
            let pixel = shown[y * 320 + x]
            return pixel.alpha > 0 ? RGBA8(pixel.red, pixel.green, pixel.blue) : RGBA8(0, 0, 0)
        }
        let black = try Fixture.encode(plain, .jpeg)
        let color = Array(clean[try Fixture.container(clean).colorRange])
        #expect(color.count < black.count)
        // And its edges are cleaner.
        let ours = Self.edgeError(try Fixture.decode(color).bitmap, shown)
        let theirs = Self.edgeError(try Fixture.decode(black).bitmap, shown)
        #expect(ours < theirs)
    }

    @Test("A transparent image is flat grey")
    func aTransparentPictureIsFlatGray() throws {
        let file = try Fixture.encode(Fixture.color(64, 64) { x, y in RGBA8(UInt8(x * 4), UInt8(y * 4), 99, 0) })
        let color = try Fixture.decode(Array(file[Fixture.container(file).colorRange])).bitmap
        #expect(Set(color.pixels) == [RGBA8(128, 128, 128)])
    }

    @Test("Invalid use is refused")
    func wrongUseIsRefused() throws {
        let bitmap = try Fixture.cutout(20, 20)
        let codec = JPNGCodec()
        #expect(throws: ImageError.self) {
            try codec.makeEncoder(bitmap.info, options: EncodingOptions(quality: 1.5), output: ByteBuffer())
        }
        #expect(throws: ImageError.self) {
            try codec.makeEncoder(
                bitmap.info, options: EncodingOptions(jpng: EncodingOptions.JPNG(version: 3)), output: ByteBuffer())
        }
        #expect(throws: ImageError.self) {
            try codec.makeEncoder(
                BitmapInfo(size: bitmap.size, format: .rgba8, alpha: .premultiplied), options: EncodingOptions(),
                output: ByteBuffer())
        }
        let encoder = try codec.makeEncoder(bitmap.info, options: EncodingOptions(), output: ByteBuffer())
        try encoder.write(bitmap.rows.extracting(0..<19))
        #expect(throws: ImageError.self) { try encoder.finish() }
        #expect(throws: ImageError.self) { try encoder.write(bitmap.rows) }
    }

    /// The mean difference of the colours, weighted by alpha.
    private static func colorError(_ a: Bitmap, _ b: Bitmap) -> Double {
        var (sum, weight) = (0, 0)
        for (p, q) in zip(a.pixels, b.pixels) {
            let difference =
                abs(Int(p.red) - Int(q.red)) + abs(Int(p.green) - Int(q.green)) + abs(Int(p.blue) - Int(q.blue))
            sum += difference * Int(q.alpha)
            weight += 3 * Int(q.alpha)
        }
        return Double(sum) / Double(max(1, weight))
    }

    /// The mean difference in 16 × 16 blocks that hold an edge, weighted by alpha.
    private static func edgeError(_ decoded: Bitmap, _ shown: [RGBA8]) -> Double {
        let (pixels, width) = (decoded.pixels, decoded.width)
        var (sum, weight) = (0, 0)
        for top in stride(from: 0, to: decoded.height, by: 16) {
            for left in stride(from: 0, to: width, by: 16) {
                let places = (top..<(top + 16)).flatMap { y in (left..<(left + 16)).map { y * width + $0 } }
                let visible = places.count { shown[$0].alpha > 0 }
                guard visible > 0, visible < 256 else { continue }
                for place in places {
                    let (p, q) = (pixels[place], shown[place])
                    let difference =
                        abs(Int(p.red) - Int(q.red)) + abs(Int(p.green) - Int(q.green)) + abs(Int(p.blue) - Int(q.blue))
                    sum += difference * Int(q.alpha)
                    weight += 3 * Int(q.alpha)
                }
            }
        }
        return Double(sum) / Double(max(1, weight))
    }

    private struct SystemlessNoise {
        private var state: UInt32 = 1

        mutating func next() -> UInt8 {
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }
}
