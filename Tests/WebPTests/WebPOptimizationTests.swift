#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Smaller files with the same pixels.
@Suite("WebP: optimization", .enabled(if: WebPCodec().capabilities.contains(.encode), "libwebp isn't there"))
struct WebPOptimizationTests {
    private let registry = CodecRegistry([WebPCodec()])

    /// A lossless file that was written in a hurry.
    private func hasty(_ bitmap: Bitmap, _ metadata: ImageMetadata = ImageMetadata()) throws -> [UInt8] {
        try WebPFixture.encode(
            bitmap, EncodingOptions(isLossless: true, metadata: metadata, webP: .init(method: 0)))
    }

    private func pixels(_ file: [UInt8]) throws -> [UInt16] {
        let decoded = try ImageSource.decode(file, options: DecodingOptions(color: .asStored), registry: registry)
        #expect(decoded.error == nil)
        return decoded.bitmap.storedSamples
    }

    @Test("A lossless image keeps every pixel in fewer bytes", arguments: [AlphaMode.none, .straight])
    func still(_ alpha: AlphaMode) throws {
        let file = try hasty(WebPFixture.sample(150, 90, alpha: alpha))
        let smaller = try #require(try WebPOptimization.smaller(file))
        #expect(smaller.count < file.count)
        #expect(try pixels(smaller) == pixels(file))
        // A second time there is nothing to gain.
        #expect(try WebPOptimization.smaller(smaller) == nil)
    }

    @Test("An animation keeps its frames and times; lossy ones stay byte for byte")
    func animation() throws {
        func picture(_ bitmap: Bitmap) throws -> [UInt8] { Array(try hasty(bitmap)[12...]) }
        let lossy = try WebPFixture.picture(WebPFixture.sample(40, 30), lossless: false)
        let plain = try WebPFixture.plain(30, 40, RGBA8(1, 2, 3, 90))
        let file = try WebPFixture.file(
            WebPFixture.extended(0x12, 60, 50), WebPFixture.animation(loops: 3),
            WebPFixture.frame(60, 50, milliseconds: 70, picture(WebPFixture.sample(60, 50))),
            WebPFixture.frame(x: 10, y: 4, 40, 30, milliseconds: 80, flags: 3, lossy),
            WebPFixture.frame(x: 2, y: 6, 30, 40, milliseconds: 90, flags: 1, picture(plain)))
        let smaller = try #require(try WebPOptimization.smaller(file))
        let (old, new) = (WebPAnimationSession(file), WebPAnimationSession(smaller))
        #expect(old.error == nil && new.error == nil && new.frames == old.frames)
        #expect(new.header?.sequence == old.header?.sequence)
        #expect(new.bitmaps.map { $0?.storedSamples } == old.bitmaps.map { $0?.storedSamples })
        #expect(smaller.indices.contains { smaller[$0...].starts(with: lossy) })
    }

    @Test("Metadata is kept by its policy, and the orientation always")
    func metadata() throws {
        let metadata = ImageMetadata(orientation: .right, xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8))
        let file = try hasty(WebPFixture.sample(50, 40), metadata)
        for (policy, hasXMP) in [(MetadataPolicy.all, true), (.profile, false), (.none, false)] {
            let smaller = try #require(try WebPOptimization.smaller(file, keeping: policy))
            let header = try ImageSource.header(of: smaller, options: DecodingOptions(color: .asStored))
            #expect(header.metadata.orientation == .right && (header.metadata.xmp != nil) == hasXMP, "\(policy)")
            #expect(try pixels(smaller) == pixels(file))
        }
        // Without anything to say, a simple file.
        let plain = try hasty(WebPFixture.sample(50, 40), ImageMetadata(xmp: metadata.xmp))
        #expect(try #require(try WebPOptimization.smaller(plain, keeping: .none))[12..<16].elementsEqual("VP8L".utf8))
    }

    @Test("Damaged files are refused, and lossy ones left alone")
    func refusals() throws {
        let file = try hasty(WebPFixture.sample(60, 50))
        #expect(errorCode { _ = try WebPOptimization.smaller(Array(file.dropLast(40))) } == .truncated)
        var damaged = file
        for index in 60..<90 { damaged[index] = 0xA5 }
        let result = Result { try WebPOptimization.smaller(damaged) }
        if case .success(let smaller?) = result { #expect(try pixels(smaller) == pixels(damaged)) }
        let lossy = try WebPFixture.file(WebPFixture.picture(WebPFixture.sample(60, 50), lossless: false))
        #expect(try WebPOptimization.smaller(lossy) == nil)
        var limits = DecodingLimits.standard
        limits.maximumWorkingByteCount = 1000
        #expect(errorCode { _ = try WebPOptimization.smaller(file, limits: limits) } == .limitExceeded)
    }
}
#endif
