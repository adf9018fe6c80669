import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("The default format")
struct DefaultFormatTests {
    /// Writes what it is told it writes.
    private struct WritingCodec: ImageCodec {
        var format: ImageFormat
        var capabilities: ImageCapabilities

        func identify(_ probe: borrowing FormatProbe) -> FormatMatch { .unknown }

        func makeDecoder(
            for probe: borrowing FormatProbe, options: DecodingOptions
        ) throws(ImageError) -> sending any IncrementalDecoder {
            throw ImageError(.unsupported, "only writes")
        }
    }

    private static let stills = CodecRegistry([
        WritingCodec(format: .jpeg, capabilities: .encode), WritingCodec(format: .png, capabilities: .encode),
    ])
    private static let all = CodecRegistry([
        WritingCodec(format: .jpeg, capabilities: .encode), WritingCodec(format: .heic, capabilities: .encode),
        WritingCodec(format: .png, capabilities: [.encode, .encodeAnimation]),
        WritingCodec(format: .gif, capabilities: [.encode, .encodeAnimation]),
        WritingCodec(format: .webP, capabilities: [.encode, .encodeAnimation]),
    ])
    private static let readsHEIC = CodecRegistry([
        WritingCodec(format: .jpeg, capabilities: .encode), WritingCodec(format: .heic, capabilities: .decode),
    ])

    private func format(
        alpha: AlphaMode, isAnimated: Bool = false, source: ImageFormat? = nil, prefersHEIF: Bool = false,
        _ registry: CodecRegistry
    ) -> ImageFormat {
        ImageDestination.defaultFormat(
            for: BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: alpha),
            isAnimated: isAnimated, source: source, prefersHEIF: prefersHEIF, registry: registry)
    }

    @Test("The format of a still image depends on its alpha")
    func stillsGoByTheirAlpha() {
        #expect(format(alpha: .none, Self.all) == .jpeg)
        #expect(format(alpha: .straight, Self.all) == .png)
        #expect(format(alpha: .premultiplied, prefersHEIF: true, Self.all) == .png)
        #expect(format(alpha: .none, source: .webP, Self.all) == .jpeg)
        #expect(format(alpha: .none, CodecRegistry()) == .png)
    }

    @Test("HEIC is chosen where it can be written")
    func heicIsTakenWhereItCanBeWritten() {
        #expect(format(alpha: .none, prefersHEIF: true, Self.all) == .heic)
        #expect(format(alpha: .none, prefersHEIF: true, Self.stills) == .jpeg)
        #expect(format(alpha: .none, prefersHEIF: true, Self.readsHEIC) == .jpeg)
    }

    @Test("Animations stay animated")
    func animationsStayAnimated() {
        #expect(format(alpha: .none, isAnimated: true, Self.all) == .gif)
        #expect(format(alpha: .straight, isAnimated: true, Self.all) == .png)
        #expect(format(alpha: .straight, isAnimated: true, source: .webP, Self.all) == .webP)
        // A source that nobody can write, or not as an animation.
        #expect(format(alpha: .none, isAnimated: true, source: .avif, Self.all) == .gif)
        #expect(format(alpha: .none, isAnimated: true, source: .heic, Self.all) == .gif)
        // Where no animation can be written a still is all there is.
        #expect(format(alpha: .none, isAnimated: true, Self.stills) == .jpeg)
        let gif = CodecRegistry([WritingCodec(format: .gif, capabilities: [.encode, .encodeAnimation])])
        #expect(format(alpha: .straight, isAnimated: true, gif) == .gif)
    }

    @Test("Alpha can be decided by pixels", arguments: [PixelFormat.rgba8, .rgba16])
    func alphaCanBeDecidedByPixels(_ format: PixelFormat) throws {
        var opaque = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 5, height: 4), format: format, alpha: .straight))
        for y in 0..<4 {
            for index in 0..<(5 * format.bytesPerPixel) {
                opaque.withMutableRows(y..<(y + 1)) { rows in
                    var row = rows.bytes(0)
                    row.storeBytes(of: 255, toByteOffset: index, as: UInt8.self)
                }
            }
        }
        let bitmap = opaque.freeze()
        #expect(bitmap.isOpaque)
        #expect(ImageDestination.defaultFormat(for: bitmap, registry: Self.all) == .png)
        #expect(ImageDestination.defaultFormat(for: bitmap, examinesPixels: true, registry: Self.all) == .jpeg)
        #expect(
            ImageDestination.defaultFormat(
                for: bitmap, examinesPixels: true, prefersHEIF: true, registry: Self.all) == .heic)

        let clear = try Bitmap.pattern(5, 4, format)
        #expect(!clear.isOpaque)
        #expect(ImageDestination.defaultFormat(for: clear, examinesPixels: true, registry: Self.all) == .png)
        #expect(try Bitmap.pattern(5, 4, .gray8, alpha: AlphaMode.none).isOpaque)
    }
}
