#if HEIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// Image sequences: the frames of a track.
@Suite("HEIF: sequences", .enabled(if: HEIFCodec().canEncode, "libheif has no encoder for HEVC"))
struct HEIFSequenceTests {
    /// A view that moves over a picture.
    private static let bitmaps: Result<[Bitmap], any Error> = Result {
        let whole = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 128, height: 64))
            .converted(to: .rgba8, alpha: AlphaMode.none)
        return try [0, 16, 32, 48].map { x in
            try whole.cropped(to: PixelRect(x: x, y: 0, width: 64, height: 64))
        }
    }
    private static let file: Result<[UInt8], any Error> = Result {
        HEIFFixture.sequence(try bitmaps.get().map { try HEIFFixture.Coded($0) }, ticks: [10, 20, 5, 100])
    }

    @Test("All frames decode with their durations, in any order")
    func frames() throws {
        let (file, bitmaps) = (try Self.file.get(), try Self.bitmaps.get())
        let match = HEIFCodec().identify(FormatProbe(whole: file.span.bytes))
        #expect(match == .match(.heic, .animated))
        let source = try AnimatedImageSource(
            file, options: DecodingOptions(color: .asStored), registry: HEIFCodecTests.registry)
        #expect(source.isComplete && source.error == nil && source.loopCount == 0)
        #expect(source.frames.map(\.storedDuration) == [0.1, 0.2, 0.05, 1])
        for index in [2, 0, 1, 3] {
            #expect(try source.frame(at: index).tightBytes() == bitmaps[index].tightBytes(), "frame \(index)")
        }
    }

    @Test("The still image is the first frame, or the requested one")
    func still() throws {
        let (file, bitmaps) = (try Self.file.get(), try Self.bitmaps.get())
        let decoded = try HEIFCodecTests.decode(file)
        #expect(decoded.bitmap.tightBytes() == bitmaps[0].tightBytes())
        #expect(decoded.header.sequence == ImageSequence(.animation, count: 4, loopCount: 0))
        let third = try HEIFCodecTests.decode(file, DecodingOptions(color: .asStored, imageIndex: 2))
        #expect(third.bitmap.tightBytes() == bitmaps[2].tightBytes())
        let options = DecodingOptions(imageIndex: 4)
        #expect(errorCode { try HEIFCodecTests.decode(file, options) } == .invalidParameter)
    }

    @Test("A still image is an animation of one frame")
    func oneFrame() throws {
        let bitmap = try Self.bitmaps.get()[0]
        let file = try HEIFCodecTests.encode(bitmap, EncodingOptions(isLossless: true))
        let source = try AnimatedImageSource(
            file, options: DecodingOptions(color: .asStored), registry: HEIFCodecTests.registry)
        #expect(source.frames.count == 1)
        #expect(try source.frame(at: 0).tightBytes() == bitmap.tightBytes())
    }

    @Test("Limits are checked, truncation keeps the frames before it, and damage gives an error or frames")
    func refusals() throws {
        let file = try Self.file.get()
        var options = DecodingOptions()
        options.limits.maximumFrameCount = 3
        #expect(errorCode { try HEIFCodecTests.decode(file, options) } == .limitExceeded)
        for count in stride(from: 0, to: file.count, by: 11) {
            let source = try? AnimatedImageSource(Array(file.prefix(count)), registry: HEIFCodecTests.registry)
            #expect(source == nil || (source?.error?.code == .truncated && source!.frames.count < 4), "\(count) bytes")
        }
        var random = SeededGenerator(9)
        for _ in 0..<300 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<min(700, file.count), using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let source = try? AnimatedImageSource(damaged, registry: HEIFCodecTests.registry) else { continue }
            for index in source.frames.indices.prefix(4) { _ = try? source.frame(at: index) }
        }
    }

    @Test("Frames stored out of display order give the first one and the error")
    func reordered() throws {
        // The second frame is shown after the third.
        let offsets = HEIFFixture.fullBox(
            "ctts", 0, [3, 1, 0, 1, 40, 2, 0].flatMap { HEIFFixture.number($0, 4) })
        var file = try Self.file.get()
        let table = try #require(file.firstRange(of: Array("stsc".utf8))).lowerBound - 4
        var lengths = ["moov", "trak", "mdia", "minf", "stbl"].compactMap {
            file.firstRange(of: Array($0.utf8))?.lowerBound
        }
        lengths = lengths.map { $0 - 4 }
        for length in lengths {
            let count = file[length..<(length + 4)].reduce(0) { $0 << 8 | Int($1) } + offsets.count
            file.replaceSubrange(length..<(length + 4), with: HEIFFixture.number(count, 4))
        }
        file.insert(contentsOf: offsets, at: table)
        // The frames' chunks are further on now.
        let chunks = try #require(file.firstRange(of: Array("stco".utf8))).upperBound + 8
        for chunk in 0..<3 {
            let place = (chunks + 4 * chunk)..<(chunks + 4 * chunk + 4)
            let moved = file[place].reduce(0) { $0 << 8 | Int($1) } + offsets.count
            file.replaceSubrange(place, with: HEIFFixture.number(moved, 4))
        }
        let source = try AnimatedImageSource(
            file, options: DecodingOptions(color: .asStored), registry: HEIFCodecTests.registry)
        #expect(source.error?.code == .unsupported && source.error?.message.contains("order") == true)
        let first = try Self.bitmaps.get()[0].tightBytes()
        #expect(source.frames.count == 1)
        #expect(try source.frame(at: 0).tightBytes() == first)
        #expect(try HEIFCodecTests.decode(file).bitmap.tightBytes() == first)
    }
}
#endif
