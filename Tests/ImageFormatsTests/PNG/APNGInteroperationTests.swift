import Foundation
import ImageFormats
import Raster
import Testing
import TestSupport

@Suite("Animated PNG: other programs", .enabled(if: PillowAPNG.isInstalled, "there is no Python with Pillow"))
struct APNGInteroperationTests {
    private static let corpusFolder = PNGCorpus.folder.map { "\($0)/valid/apng" }
    private static let files = corpusFolder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []

    @Test(
        "every frame of every file agrees", .enabled(if: corpusFolder != nil, "TESSERA_CORPUS is not set"),
        arguments: files.sorted())
    func everyFrame(name: String) throws {
        let path = "\(Self.corpusFolder!)/\(name)"
        let source = try AnimatedImageSource(
            PNGCorpus.bytes(path), options: DecodingOptions(color: .asStored, maximumBitsPerChannel: 16))
        #expect(source.error == nil)
        let expected = try PillowAPNG.composed(path)
        let frameByteCount = source.size!.pixelCount * 4
        #expect(expected.count == frameByteCount * source.frames.count)
        var largest = 0
        for index in source.frames.indices {
            let frame = try source.frame(at: index)
            // Pillow drops the lower byte of sixteen bits.
            let samples = frame.channels.map { frame.format == .rgba16 ? Int($0 >> 8) : Int($0) }
            for (at, sample) in samples.enumerated() {
                largest = max(largest, abs(sample - Int(expected[index * frameByteCount + at])))
            }
        }
        // Half-transparent pixels drawn over half-transparent ones are rounded differently.
        #expect(largest <= (name.contains("near_transparent") ? 1 : 0))
    }

    @Test(
        "what is invalid is refused or played in part",
        .enabled(if: PNGCorpus.folder != nil, "TESSERA_CORPUS is not set"))
    func invalid() throws {
        let files = PNGCorpus.files("invalid").filter { $0.contains("apng") }
        #expect(!files.isEmpty)
        for path in files {
            let bytes = try PNGCorpus.bytes(path)
            let source = AnimatedImageSource()
            _ = try? source.append(bytes)
            _ = try? source.finish()
            for index in source.frames.indices { _ = try source.frame(at: index) }
            // The picture itself has nothing wrong with it.
            #expect(try ImageSource.decode(bytes).error == nil, "\(path)")
        }
    }

    @Test(arguments: [(.gray8, .none), (.rgba8, .none), (.rgba8, .straight)] as [(PixelFormat, AlphaMode)])
    func othersSeeTheFramesThatWereWritten(format: PixelFormat, alpha: AlphaMode) throws {
        let frames = try APNGEncodingTests.frames(format, alpha: alpha, seed: 6)
        let buffer = ByteBuffer()
        try ImageDestination(format: .png).encode(count: frames.count, to: buffer) { (frames[$0], 0.25) }
        let folder = try TemporaryFolder()
        let path = try folder.write(buffer.bytes, to: "frames.png")
        let expected = try frames.flatMap { try $0.converted(to: .rgba8).tightBytes() }
        #expect(try PillowAPNG.shown(path) == expected)
        #expect(try PillowAPNG.composed(path) == expected)
    }
}
