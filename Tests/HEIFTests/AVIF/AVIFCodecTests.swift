#if AVIF
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// Files made by the codec itself, and what becomes of them.
@Suite("AVIF", .enabled(if: AVIFCodec().canEncode, "libavif has no encoder for AV1"))
struct AVIFCodecTests {
    static let registry = CodecRegistry([AVIFCodec()])

    static func encode(_ bitmap: Bitmap, _ options: EncodingOptions = EncodingOptions()) throws -> [UInt8] {
        var options = options
        options.avif.speed = 9
        return try ImageDestination(format: .avif, options: options, registry: registry).encode(bitmap)
    }

    static func decode(
        _ file: [UInt8], _ options: DecodingOptions = DecodingOptions(color: .asStored)
    ) throws -> DecodedImage {
        try ImageSource.decode(file, options: options, registry: registry)
    }

    /// A file of a sample image of 74 × 46.
    static func file(alpha: AlphaMode = .none) throws -> CodedFile {
        CodedFile(try encode(CodedFile.sample(.rgba8, alpha: alpha)), registry)
    }

    @Test(
        "Lossless 8-bit files keep every pixel",
        arguments: [
            (.rgba8, .none), (.rgba8, .straight), (.gray8, .none),
        ] as [(PixelFormat, AlphaMode)], [(64, 48), (75, 47), (1, 1), (1, 17)])
    func lossless(kind: (PixelFormat, AlphaMode), size: (Int, Int)) throws {
        let bitmap = try CodedFile.sample(kind.0, alpha: kind.1, width: size.0, height: size.1)
        let decoded = try Self.decode(Self.encode(bitmap, EncodingOptions(isLossless: true)))
        #expect(decoded.error == nil && decoded.header.format == .avif)
        #expect(decoded.bitmap.info == bitmap.info)
        #expect(decoded.bitmap.tightBytes() == bitmap.tightBytes())
    }

    @Test("Lossless 16-bit images keep 12 bits", arguments: [PixelFormat.rgba16, .gray16])
    func losslessDepth(format: PixelFormat) throws {
        let bitmap = try CodedFile.sample(format)
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        let decoded = try Self.decode(Self.encode(bitmap, EncodingOptions(isLossless: true)), options)
        #expect(decoded.header.bitsPerChannel == 12 && decoded.bitmap.info == bitmap.info)
        // Half a step of twelve bits.
        #expect(try #require(decoded.bitmap.largestDifference(from: bitmap)) <= 9)
    }

    @Test("The 8-bit form of a deep image is its 16-bit form rounded", arguments: [AlphaMode.none, .straight])
    func roundedDepth(alpha: AlphaMode) throws {
        let file = try Self.encode(CodedFile.sample(.rgba16, alpha: alpha, width: 75, height: 47))
        let wide = try Self.decode(file, DecodingOptions(color: .asStored, maximumBitsPerChannel: 16))
        #expect(wide.header.bitsPerChannel == 10)
        let narrow = try Self.decode(file).bitmap
        #expect(narrow.format == .rgba8)
        // Half a step of eight bits, and half a one of sixteen.
        #expect(try #require(narrow.largestDifference(from: wide.bitmap)) <= 129)
    }

    @Test(
        "Higher quality has smaller differences and more bytes",
        arguments: [PixelFormat.rgba8, .gray8, .rgba16, .gray16])
    func quality(format: PixelFormat) throws {
        let bitmap = try CodedFile.sample(format, width: 160, height: 120)
        var (noise, byteCount) = (0.0, 0)
        for quality in [0.2, 0.5, 0.8, 0.95] {
            let file = try Self.encode(bitmap, EncodingOptions(quality: quality))
            let decoded = try Self.decode(file, DecodingOptions(color: .asStored, maximumBitsPerChannel: 16))
            #expect(decoded.header.bitsPerChannel == (format.bitsPerChannel == 8 ? 8 : 10))
            #expect(decoded.bitmap.info == bitmap.info)
            let reached = try #require(decoded.bitmap.noise(against: bitmap))
            #expect(reached > noise && file.count > byteCount)
            (noise, byteCount) = (reached, file.count)
        }
        #expect(noise > 30)
    }

    @Test("Alpha is lossless at any quality")
    func alpha() throws {
        let bitmap = try CodedFile.sample(.rgba8, alpha: .straight)
        let decoded = try Self.decode(Self.encode(bitmap, EncodingOptions(quality: 0.3))).bitmap
        let (before, after) = (bitmap.tightBytes(), decoded.tightBytes())
        #expect(stride(from: 3, to: before.count, by: 4).allSatisfy { before[$0] == after[$0] })
    }

    @Test("An image is rotated once, by its boxes", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        let bitmap = try CodedFile.sample(.rgba8, width: 33, height: 21)
        var options = EncodingOptions(isLossless: true)
        options.metadata.orientation = orientation
        // EXIF says the same as the boxes, and has to be left out of account.
        options.metadata.exif = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0,
        ]
        let file = try Self.encode(bitmap, options)
        let upright = try Self.decode(file)
        #expect(upright.header.metadata.orientation == orientation)
        #expect(try upright.bitmap.tightBytes() == bitmap.oriented(by: orientation).tightBytes())
        let stored = try Self.decode(file, DecodingOptions(color: .asStored, appliesOrientation: false))
        #expect(stored.bitmap.tightBytes() == bitmap.tightBytes())
    }

    @Test("Profiles, EXIF and XMP are kept")
    func metadata() throws {
        let bitmap = try CodedFile.sample(.rgba8).withMeaning(alpha: .none, profile: .icc(TestProfiles.wideRGB))
        let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        let options = EncodingOptions(metadata: ImageMetadata(exif: exif, xmp: xmp))
        let header = try Self.decode(Self.encode(bitmap, options)).header
        #expect(header.profile == .icc(TestProfiles.wideRGB))
        #expect(header.metadata.exif == exif)
        #expect(header.metadata.xmp == xmp)
        // What libraries would refuse is left out.
        let broken = EncodingOptions(metadata: ImageMetadata(exif: [1, 2, 3]))
        #expect(try Self.decode(Self.encode(bitmap, broken)).header.metadata.exif == nil)
    }

    /// A pixel of the file's picture, in sRGB.
    private static func pixel(_ file: [UInt8]) throws -> RGBA8 {
        let bitmap = try decode(file, DecodingOptions()).bitmap
        let row = bitmap.rows.row(7, as: RGBA8.self)
        return row[7]
    }

    @Test("Wide colours given by code points become sRGB")
    func codes() throws {
        var file = try Self.encode(
            Bitmap.plain(RGBA8(200, 120, 60, 255), PixelSize(width: 16, height: 16)), EncodingOptions(isLossless: true))
        let codes = try #require(file.firstRange(of: Array("nclx".utf8))).upperBound
        #expect(file[codes..<(codes + 4)] == [0, 1, 0, 13])
        #expect(try Self.decode(file).header.profile == .sRGB)
        // Display P3, with sRGB's curve.
        file[codes + 1] = 12
        let points = ColorProfile.Chromaticities(
            white: .init(x: 0.3127, y: 0.329), red: .init(x: 0.68, y: 0.32), green: .init(x: 0.265, y: 0.69),
            blue: .init(x: 0.15, y: 0.06))
        let television = ColorProfile.Chromaticities(
            white: .init(x: 0.3127, y: 0.329), red: .init(x: 0.64, y: 0.33), green: .init(x: 0.3, y: 0.6),
            blue: .init(x: 0.15, y: 0.06))
        func light(_ value: Double) -> Double {
            value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let xyz = ColorMath.sum(ColorMath.primaries(points), [200, 120, 60].map { light($0 / 255) })
        let expected = ColorMath.solve(ColorMath.primaries(television), xyz).map { ColorMath.encoded($0) * 255 }
        let pixel = try Self.pixel(file)
        for (value, wanted) in zip([pixel.red, pixel.green, pixel.blue], expected) {
            #expect(abs(Double(value) - wanted) <= 1, "\(pixel), not \(expected)")
        }
        // PQ: compressed as in every format.
        (file[codes + 1], file[codes + 3]) = (1, 16)
        let mapped = try Self.pixel(file)
        let light = ToneMapping.standard([200, 120, 60].map { $0 / 255 }, primaries: 1, transfer: 16, peak: 10000)
        for (value, wanted) in zip([mapped.red, mapped.green, mapped.blue], light) {
            #expect(abs(Double(value) - ColorMath.encoded(wanted) * 255) <= 1.5, "\(mapped)")
        }
    }

    @Test("A file truncated anywhere is an error, never a trap")
    func truncation() throws {
        try Self.file(alpha: .straight).expectErrorsWhenTruncated()
    }

    @Test("Damage gives an error or an image")
    func damage() throws {
        try Self.file(alpha: .straight).expectNoTrapWhenDamaged(seed: 5)
    }

    @Test("Limits are checked before decoding")
    func limits() throws {
        try Self.file().expectLimits(PixelSize(width: 74, height: 46))
    }

    @Test("Invalid images and options are refused")
    func refusals() throws {
        let bitmap = try CodedFile.sample(.rgba8)
        for speed in [-1, 11] {
            let options = EncodingOptions(avif: EncodingOptions.AVIF(speed: speed))
            #expect(
                errorCode { try AVIFCodec().encode(bitmap, options: options, output: ByteBuffer()) }
                    == .invalidParameter)
        }
        let premultiplied = bitmap.withMeaning(alpha: .premultiplied, profile: .sRGB)
        #expect(
            errorCode { try AVIFCodec().encode(premultiplied, options: EncodingOptions(), output: ByteBuffer()) }
                == .invalidParameter)
        #expect(errorCode { try Self.decode(Self.encode(bitmap), DecodingOptions(imageIndex: 1)) } == .invalidParameter)
    }

    static let encoder = CommandLineTool("avifenc")

    @Test(
        "Files are as close to the original as avifenc's", .needs(encoder),
        arguments: [30, 60, 90])
    func avifenc(quality: Int) throws {
        let bitmap = try CodedFile.sample(.rgba8, width: 240, height: 160)
        let folder = try TemporaryFolder()
        let png = try folder.write(ImageDestination(format: .png).encode(bitmap), to: "picture.png")
        // What avifenc 1.0 does for --qcolor, in the words of 0.11.
        let level = ((100 - quality) * 63 + 50) / 100
        let arguments = [
            "--min", "0", "--max", "63", "-a", "end-usage=q", "-a", "cq-level=\(level)", "-y", "420", "-s", "9",
            "--cicp", "1/13/6", png, folder.file("other.avif"),
        ]
        #expect(try Self.encoder.run(arguments))
        let theirs = try folder.read("other.avif")
        let ours = try Self.encode(bitmap, EncodingOptions(quality: Double(quality) / 100))
        let reached = try #require(try Self.decode(ours).bitmap.noise(against: bitmap))
        let expected = try #require(try Self.decode(theirs).bitmap.noise(against: bitmap))
        #expect(reached >= expected - 0.05, "\(reached) dB in \(ours.count) bytes, \(expected) in \(theirs.count)")
        #expect(ours.count <= theirs.count * 11 / 10)
    }
}
#endif
