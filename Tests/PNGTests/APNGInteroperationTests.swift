import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("Animated PNG: other programs", .needsPillow)
struct APNGInteroperationTests {
    @Test("Every frame of every file agrees", .needsCorpus, arguments: Corpus.files("valid/apng"))
    func everyFrame(path: String) throws {
        let file = try Corpus.bytes(path)
        let source = try AnimatedImageSource(
            file, options: DecodingOptions(color: .asStored, maximumBitsPerChannel: 16))
        #expect(source.error == nil)
        let expected = try PillowAPNG.composed(file)
        let frameByteCount = source.size!.pixelCount * 4
        #expect(expected.count == frameByteCount * source.frames.count)
        var largest = 0
        for index in source.frames.indices {
            let frame = try source.frame(at: index)
            // Pillow drops the lower byte of sixteen bits.
            let samples = frame.storedSamples.map { frame.format == .rgba16 ? Int($0 >> 8) : Int($0) }
            for (at, sample) in samples.enumerated() {
                largest = max(largest, abs(sample - Int(expected[index * frameByteCount + at])))
            }
        }
        // Half-transparent pixels drawn over half-transparent ones are rounded differently.
        #expect(largest <= (path.contains("near_transparent") ? 1 : 0))
    }

    @Test("Invalid files are refused or played in part", .needsCorpus)
    func invalid() throws {
        let files = Corpus.files("invalid/png", "invalid/apng").filter { $0.contains("apng") }
        #expect(!files.isEmpty)
        for path in files {
            let bytes = try Corpus.bytes(path)
            let source = AnimatedImageSource()
            _ = try? source.append(bytes)
            _ = try? source.finish()
            for index in source.frames.indices { _ = try source.frame(at: index) }
            // The picture itself has nothing wrong with it.
            #expect(try ImageSource.decode(bytes).error == nil, "\(path)")
        }
    }

    @Test(
        "Other programs decode the written frames",
        arguments: [(.gray8, .none), (.rgba8, .none), (.rgba8, .straight)] as [(PixelFormat, AlphaMode)])
    func othersSeeTheFramesThatWereWritten(format: PixelFormat, alpha: AlphaMode) throws {
        let frames = try APNGEncodingTests.frames(format, alpha: alpha, seed: 6)
        let buffer = ByteBuffer()
        try ImageDestination(format: .png).encode(count: frames.count, to: buffer) { (frames[$0], 0.25) }
        let expected = try frames.flatMap { try $0.converted(to: .rgba8).tightBytes() }
        #expect(try Pillow.frames(buffer.bytes)?.flatMap(\.samples) == expected)
        #expect(try PillowAPNG.composed(buffer.bytes) == expected)
    }
}
