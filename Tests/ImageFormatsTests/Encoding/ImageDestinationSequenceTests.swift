import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Writing several images")
struct ImageDestinationSequenceTests {
    private func roundTrip(
        _ frames: [Bitmap], options: EncodingOptions = EncodingOptions(),
        _ encodable: @escaping @Sendable (BitmapInfo) -> BitmapInfo = { $0 }
    ) throws -> AnimatedImageSource {
        let registry = CodecRegistry([FlipCodec(encodable: encodable)])
        let buffer = ByteBuffer()
        try ImageDestination(format: .flip, options: options, registry: registry)
            .encode(count: frames.count, to: buffer) { (frames[$0], 0.1 * Double($0 + 1)) }
        return try AnimatedImageSource(
            buffer.bytes, options: DecodingOptions(color: .asStored, maximumBitsPerChannel: 16), registry: .flip)
    }

    @Test("Images become frames")
    func picturesBecomeFrames() throws {
        let frames = try (0..<5).map { try Bitmap.pattern(8, 6, seed: $0 * 13) }
        let source = try roundTrip(frames, options: EncodingOptions(loopCount: 3))
        #expect(source.frames.map(\.duration) == [0.1, 0.2, 0.3, 0.4, 0.5])
        #expect(source.loopCount == 3)
        for (index, frame) in frames.enumerated() {
            #expect(try source.frame(at: index).tightBytes() == frame.tightBytes())
        }
    }

    @Test("All frames get the first one's size and format")
    func allBecomeWhatTheFirstIs() throws {
        let frames = [
            try Bitmap.pattern(8, 6, .rgba16), try Bitmap.pattern(8, 6, .gray8), try Bitmap.pattern(8, 6, alpha: .none),
            try Bitmap.pattern(8, 6, alpha: .premultiplied),
            try Bitmap.pattern(8, 6, profile: .icc(TestProfiles.wideRGB)),
        ]
        let source = try roundTrip(frames)
        for (index, frame) in frames.enumerated() {
            let shown = try source.frame(at: index)
            #expect(shown.info == frames[0].info)
            if index != 4 {
                #expect(try shown.tightBytes() == frame.converted(to: .rgba16, alpha: .straight).tightBytes())
            } else {
                let expected = try ImageSource.decode(RowsHead(frame.info).file([frame]), registry: .rows).bitmap
                #expect(try shown.tightBytes() == expected.converted(to: .rgba16).tightBytes())
            }
        }
        let opaque = try roundTrip([Bitmap.pattern(8, 6), Bitmap.pattern(8, 6, seed: 9)]) {
            BitmapInfo(size: $0.size, format: .rgba8, profile: $0.profile)
        }
        #expect(try opaque.frame(at: 1).info.alpha == .none)
    }

    @Test("Frames of another size, alpha, profile or format are refused")
    func whatWouldBeLostIsRefused() throws {
        let first = try Bitmap.pattern(8, 6, alpha: .none)
        for other in [
            try Bitmap.pattern(8, 7, alpha: .none), try Bitmap.pattern(8, 6, alpha: .straight),
        ] {
            #expect(errorCode { try roundTrip([first, other]) } == .invalidParameter)
        }
        let profiled = try Bitmap.pattern(8, 6, alpha: .none, profile: .icc(TestProfiles.wideRGB))
        #expect(errorCode { try roundTrip([profiled, first]) } == .invalidParameter)
        #expect(errorCode { try roundTrip([Bitmap.pattern(8, 6, .gray8), first]) } == .invalidParameter)
    }

    @Test("Formats of a single image and empty sequences are refused")
    func formatsOfOnePictureAndNoPicturesAreRefused() throws {
        let (jpeg, bitmap) = (try ImageDestination(format: .jpeg), try Bitmap.pattern(8, 6))
        #expect(errorCode { try jpeg.encode(count: 2, to: ByteBuffer()) { _ in (bitmap, 1) } } == .unsupported)
        #expect(errorCode { try roundTrip([]) } == .invalidParameter)
    }

    @Test("Errors of the source are passed on")
    func whatFailsOnTheWayIsPassedOn() throws {
        let destination = try ImageDestination(format: .flip, registry: .flip)
        let bitmap = try Bitmap.pattern(8, 6)
        let error = #expect(throws: ImageError.self) {
            try destination.encode(count: 3, to: ByteBuffer()) { index throws(ImageError) in
                guard index < 2 else { throw ImageError(.cancelled, "enough") }
                return (bitmap, 0.1)
            }
        }
        #expect(error?.code == .cancelled)
    }
}
