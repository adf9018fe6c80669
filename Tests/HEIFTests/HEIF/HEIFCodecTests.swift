#if HEIF
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// Files made by the codec itself, and what becomes of them.
@Suite("HEIF", .enabled(if: HEIFCodec().canEncode, "libheif has no encoder for HEVC"))
struct HEIFCodecTests {
    static func encode(
        _ bitmap: Bitmap, _ options: EncodingOptions = EncodingOptions(), format: ImageFormat = .heic
    ) throws -> [UInt8] {
        try ImageDestination(format: format, options: options, registry: registry).encode(bitmap)
    }

    static func decode(
        _ file: [UInt8], _ options: DecodingOptions = DecodingOptions(color: .asStored)
    ) throws -> DecodedImage {
        try ImageSource.decode(file, options: options, registry: registry)
    }

    /// A region of the image in `file`, decoded by itself.
    static func part(
        _ region: PixelRect, of file: [UInt8], _ options: DecodingOptions = DecodingOptions(color: .asStored)
    ) throws -> Bitmap {
        try ImageRowSource(
            Source(file), plan: DecodingPlan(region: region), options: options, registry: registry
        ).makeBitmap()
    }

    static let registry = CodecRegistry([HEIFCodec(.heic), HEIFCodec(.heif)])

    /// A file of a sample image of 74 × 46.
    static func file(alpha: AlphaMode = .none) throws -> CodedFile {
        CodedFile(try encode(CodedFile.sample(.rgba8, alpha: alpha)), registry)
    }

    @Test(
        "Lossless 8-bit files keep every pixel, at odd sizes too",
        arguments: [AlphaMode.none, .straight], [(64, 48), (75, 46), (33, 31), (16, 16)])
    func lossless(alpha: AlphaMode, size: (Int, Int)) throws {
        let bitmap = try CodedFile.sample(.rgba8, alpha: alpha, width: size.0, height: size.1)
        let decoded = try Self.decode(Self.encode(bitmap, EncodingOptions(isLossless: true)))
        #expect(decoded.error == nil && decoded.header.format == .heic)
        #expect(decoded.bitmap.info == bitmap.info)
        #expect(decoded.bitmap.tightBytes() == bitmap.tightBytes())
    }

    @Test("Lossless grey stays grey")
    func losslessGray() throws {
        let bitmap = try CodedFile.sample(.gray8, width: 64, height: 48)
        let decoded = try Self.decode(Self.encode(bitmap, EncodingOptions(isLossless: true)))
        #expect(decoded.header.colorModel == .gray)
        #expect(decoded.bitmap.info == bitmap.info)
        #expect(decoded.bitmap.tightBytes() == bitmap.tightBytes())
    }

    @Test(
        "Higher quality has smaller differences and more bytes",
        arguments: [PixelFormat.rgba8, .gray8, .rgba16, .gray16])
    func quality(format: PixelFormat) throws {
        let bitmap = try CodedFile.sample(format, width: 160, height: 120)
        var (noise, byteCount) = (0.0, 0)
        for quality in [0.2, 0.5, 0.8, 0.95] {
            let file = try Self.encode(bitmap, EncodingOptions(quality: quality))
            let decoded = try Self.decode(file, DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)).bitmap
            #expect(decoded.info == bitmap.info)
            let reached = try #require(decoded.noise(against: bitmap))
            #expect(reached > noise && file.count > byteCount)
            (noise, byteCount) = (reached, file.count)
        }
        #expect(noise > 30)
    }

    @Test("16-bit images keep 10 bits, and are rounded to 8")
    func depth() throws {
        let bitmap = try CodedFile.sample(.rgba16, alpha: .straight, width: 64, height: 48)
        let file = try Self.encode(bitmap, EncodingOptions(quality: 1))
        let deep = try Self.decode(file, DecodingOptions(color: .asStored, maximumBitsPerChannel: 16))
        #expect(deep.header.bitsPerChannel == 10 && deep.bitmap.format == .rgba16)
        let bytes = try Self.decode(file).bitmap
        #expect(bytes.format == .rgba8)
        #expect(try #require(bytes.largestDifference(from: deep.bitmap)) <= 129)
    }

    @Test("An image is rotated once, by its boxes", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        let bitmap = try CodedFile.sample(.rgba8, width: 64, height: 48)
        var options = EncodingOptions(isLossless: true)
        options.metadata.orientation = orientation
        // EXIF says the same as the boxes, and has to be left out of account.
        options.metadata.exif = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0,
        ]
        let decoded = try Self.decode(Self.encode(bitmap, options))
        #expect(decoded.header.metadata.orientation == .up)
        #expect(decoded.header.size == orientation.applied(to: bitmap.size))
        #expect(try decoded.bitmap.tightBytes() == bitmap.oriented(by: orientation).tightBytes())
    }

    @Test("Profiles, EXIF and XMP are kept")
    func metadata() throws {
        let bitmap = try CodedFile.sample(.rgba8).withMeaning(alpha: .none, profile: .icc(TestProfiles.wideRGB))
        let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        for isLossless in [false, true] {
            let options = EncodingOptions(isLossless: isLossless, metadata: ImageMetadata(exif: exif, xmp: xmp))
            let header = try Self.decode(Self.encode(bitmap, options)).header
            #expect(header.profile == .icc(TestProfiles.wideRGB))
            #expect(header.metadata.exif == exif)
            #expect(header.metadata.xmp == xmp)
        }
    }

    @Test("A file truncated anywhere is an error, never a trap")
    func truncation() throws {
        try Self.file(alpha: .straight).expectErrorsWhenTruncated()
    }

    @Test("Damage gives an error or an image")
    func damage() throws {
        // The boxes come first.
        try Self.file(alpha: .straight).expectNoTrapWhenDamaged(seed: 4, first: 700)
    }

    @Test("Limits are checked before decoding")
    func limits() throws {
        try Self.file().expectLimits(PixelSize(width: 74, height: 46))
    }

    @Test("A declared size larger than the coded one is refused")
    func announcedSize() throws {
        var file = try Self.encode(CodedFile.sample(.rgba8, width: 64, height: 48))
        // The coded size and the shown one: version and flags, width, height.
        let sizes = file.ranges(of: Array("ispe".utf8)).map { ($0.upperBound + 4)..<($0.upperBound + 12) }
        for size in sizes { file.replaceSubrange(size, with: [0, 0x0F, 0, 0, 0, 0x0F, 0, 0]) }
        #expect(errorCode { try Self.decode(file) } == .limitExceeded)
        for size in sizes { file.replaceSubrange(size, with: [0, 0, 1, 0, 0, 0, 1, 0]) }
        #expect(errorCode { try Self.decode(file) } == .corrupt)
    }

    @Test("A grid that contains itself, or repeats a tile too often, is refused before decoding")
    func grids() throws {
        // An odd size makes libheif wrap the picture in a grid of one tile.
        var file = try Self.encode(CodedFile.sample(.rgba8, width: 75, height: 47))
        #expect(try Self.decode(file).error == nil)
        let reference = try #require(file.firstRange(of: Array("dimg".utf8))).upperBound
        #expect(file[(reference + 2)..<(reference + 4)] == [0, 1])
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 80 * 48 - 1
        #expect(errorCode { try Self.decode(file, DecodingOptions(limits: limits)) } == .limitExceeded)
        // The grid's identifier, then how many tiles, then the tile's.
        file.replaceSubrange((reference + 4)..<(reference + 6), with: file[reference..<(reference + 2)])
        #expect(errorCode { try Self.decode(file) } == .corrupt)
    }

    @Test("A missing decoder is an error of its own code")
    func unknownKinds() throws {
        var file = try Self.encode(CodedFile.sample(.rgba8, width: 64, height: 48))
        let kind = try #require(file.firstRange(of: Array("hvc1".utf8)))
        file.replaceSubrange(kind, with: Array("vvc1".utf8))
        let error = #expect(throws: ImageError.self) { try Self.decode(file) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("coded as VVC") == true && error?.message.contains("pitm") == false)
        // A movie without a track, and no still.
        let sequence = FileTypeBoxTests.file("hevc", ["msf1"]) + [0, 0, 0, 8] + Array("moov".utf8)
        #expect(errorCode { try Self.decode(sequence) } == .corrupt)
        #expect(errorCode { try Self.decode(FileTypeBoxTests.file("heic", ["mif1"])) } == .corrupt)
    }

    @Test("A missing image is an invalid parameter")
    func imageIndex() throws {
        let file = try Self.encode(CodedFile.sample(.rgba8))
        #expect(try Self.decode(file, DecodingOptions(imageIndex: 0)).error == nil)
        for index in [1, -1, Int.max] {
            #expect(errorCode { try Self.decode(file, DecodingOptions(imageIndex: index)) } == .invalidParameter)
        }
    }

    @Test("HEIF is written like HEIC")
    func heif() throws {
        let file = try Self.encode(CodedFile.sample(.rgba8), format: .heif)
        #expect(try Self.decode(file).header.format == .heic)
    }

    static let encoder = CommandLineTool("heif-enc")

    @Test(
        "Files are as close to the original as heif-enc's", .needs(encoder),
        arguments: [30, 60, 90])
    func heifEnc(quality: Int) throws {
        let bitmap = try CodedFile.sample(.rgba8, width: 240, height: 160)
        let folder = try TemporaryFolder()
        let png = try folder.write(ImageDestination(format: .png).encode(bitmap), to: "picture.png")
        #expect(try Self.encoder.run(["-q", "\(quality)", "-o", folder.file("other.heic"), png]))
        let theirs = try folder.read("other.heic")
        let ours = try Self.encode(bitmap, EncodingOptions(quality: Double(quality) / 100))
        let reached = try #require(try Self.decode(ours).bitmap.noise(against: bitmap))
        let expected = try #require(try Self.decode(theirs).bitmap.noise(against: bitmap))
        // Without its thread pools x265 decides here and there another way.
        #expect(reached >= expected - 0.1, "\(reached) dB in \(ours.count) bytes, \(expected) in \(theirs.count)")
        #expect(ours.count <= theirs.count * 11 / 10)
    }
}
#endif
