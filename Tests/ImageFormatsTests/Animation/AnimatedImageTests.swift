import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Animations in one call")
struct AnimatedImageTests {
    static let formats = CodecRegistry.default.encodableFormats.filter {
        CodecRegistry.default.capabilities(of: $0).isSuperset(of: [.encodeAnimation, .decodeAnimation])
    }

    private static let durations = [0.1, 0.2, 0.5]

    private static func file(_ format: ImageFormat, loopCount: Int = 3) throws -> [UInt8] {
        let buffer = ByteBuffer()
        let options = EncodingOptions(isLossless: true, loopCount: loopCount)
        try ImageDestination(format: format, options: options).encode(count: durations.count, to: buffer) {
            (index) throws(ImageError) in
            do {
                return (try Bitmap.pattern(24, 16, alpha: .none, seed: 80 * index), durations[index])
            } catch { throw error as? ImageError ?? ImageError(.corrupt, "\(error)") }
        }
        return buffer.bytes
    }

    @Test("Path, array and Data give the same frames, decoded when they are asked for", arguments: formats)
    func forms(_ format: ImageFormat) throws {
        let folder = try TemporaryFolder()
        let bytes = try Self.file(format)
        let path = try folder.write(bytes, to: "animation")
        let source = try AnimatedImageSource(bytes)
        for animation in [
            try AnimatedImage(path: path), try AnimatedImage(data: bytes), try AnimatedImage(data: Data(bytes)),
        ] {
            #expect(animation.header.format == format && animation.error == nil)
            #expect(animation.size == PixelSize(width: 24, height: 16) && animation.loopCount == source.loopCount)
            #expect(animation.frames.count == 3)
            #expect(abs(animation.duration - 0.8) < 0.01)
            for (index, frame) in animation.frames.enumerated() {
                #expect(abs(frame.duration - Self.durations[index]) < 0.01)
                #expect(!frame.image.isDecoded && frame.image.format == format && frame.image.size == animation.size)
                let bitmap = try frame.image.bitmap()
                #expect(bitmap.info == frame.image.info)
                #expect(try bitmap.tightBytes() == source.frame(at: index).tightBytes())
            }
            let last = try #require(animation.frames.last)
            #expect(try last.image.thumbnail(fitting: 12).size == PixelSize(width: 12, height: 8))
        }
    }

    @Test("Frames are for any number of tasks")
    func concurrently() async throws {
        let animation = try AnimatedImage(data: Self.file(.gif))
        let expected = try animation.frames.map { try $0.image.bitmap().tightBytes() }
        try await withThrowingTaskGroup { group in
            for index in [2, 0, 1, 2, 1, 0] {
                group.addTask { (index, try animation.frames[index].image.bitmap().tightBytes()) }
            }
            for try await (index, bytes) in group { #expect(bytes == expected[index]) }
        }
    }

    @Test("A truncated animation has the frames before, and says why there are no more")
    func truncated() throws {
        let bytes = try Self.file(.gif)
        let animation = try AnimatedImage(data: bytes.prefix(bytes.count * 3 / 4))
        #expect(animation.error?.code == .truncated)
        #expect((1..<3).contains(animation.frames.count))
    }

    @Test("What is no animation is refused, with the file's name")
    func failures() throws {
        let folder = try TemporaryFolder()
        let still = try ImageDestination(format: .jpeg).encode(Bitmap.pattern(20, 10))
        let cases: [([UInt8]?, ImageError.Code)] = [
            (nil, .inputOutput), ([], .unknownFormat), (Array("nothing that is known, but long".utf8), .unknownFormat),
            (still, .unsupported), (Array(try Self.file(.gif).prefix(20)), .truncated),
        ]
        for (bytes, code) in cases {
            let path = try bytes.map { try folder.write($0, to: "file") } ?? folder.file("missing.gif")
            let error = try #require(throws: ImageError.self) { try AnimatedImage(path: path) }
            #expect(error.code == code && error.message.contains(path), "\(error)")
            if let bytes { #expect(errorCode { try AnimatedImage(data: bytes) } == code) }
        }
    }
}
