#if HTTP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// The viewer with pictures of a server that sends the second half of each when it is told to.
@Suite("The viewer with arriving images", .needsWindows, .needs(.python), .serialized)
struct ArrivingTests {
    private let folder: TemporaryFolder
    private let colors = [RGBA8(220, 20, 30), RGBA8(20, 190, 40), RGBA8(30, 40, 210)]

    init() throws { folder = try TemporaryFolder() }

    private func isShown(_ color: RGBA8, _ capture: Bitmap) -> Bool { capture.isColor(color, atX: 340, y: 340) }

    @Test("An animation plays while it arrives")
    func playsAnAnimationThatIsArriving() async throws {
        let frames = try (0..<12).map { try Bitmap.plain(colors[$0 % 3], PixelSize(width: 800, height: 600)) }
        try folder.write(AnimatedFile.gif(frames, delay: 0.25), to: "animation.gif")
        let server = try await HalfServer(folder)
        let session = try await ViewerSession(["\(server.address)/animation.gif"])
        // Of the first half five or six frames are whole. It waits at the last of them for more.
        _ = try await session.capture("a frame of the first half") { isShown(colors[1], $0) || isShown(colors[2], $0) }
        let waiting = try await session.settledCapture().pixel(340, 340)
        try server.sendRest()
        _ = try await session.capture("what comes then") { $0.pixel(340, 340) != waiting }
        for color in colors + colors { _ = try await session.capture("\(color)") { isShown(color, $0) } }
        #expect(try await session.close() == 0)
    }

    @Test("A progressive image is shown while it arrives")
    func showsAProgressivePictureThatIsArriving() async throws {
        let bitmap = try MarkedPicture.make(PixelSize(width: 1600, height: 1200))
        let options = EncodingOptions(
            quality: 1, jpeg: EncodingOptions.JPEG(subsampling: .yuv444, isProgressive: true))
        let bytes = try ImageDestination(format: .jpeg, options: options).encode(bitmap)
        try folder.write(bytes, to: "picture.jpg")
        let server = try await HalfServer(folder)
        let session = try await ViewerSession(["\(server.address)/picture.jpg"])
        try await session.waitForPicture()
        let half = try await session.settledCapture()
        try server.sendRest()
        let whole = try await session.capture("a better one") { $0.tightBytes() != half.tightBytes() }
        #expect(whole.size == half.size)
        #expect(try await session.close() == 0)
    }

    @Test("The window closes while an image arrives")
    func closesWhileItArrives() async throws {
        let frames = try (0..<12).map { try Bitmap.plain(colors[$0 % 3], PixelSize(width: 800, height: 600)) }
        try folder.write(AnimatedFile.gif(frames, delay: 0.25), to: "animation.gif")
        let server = try await HalfServer(folder)
        let session = try await ViewerSession(["\(server.address)/animation.gif", "\(server.address)/none.jpg"])
        try await session.key("1", "Right", "Left", "F5")
        #expect(try await session.close() == 0, "\(session.viewer.errors)")
    }
}
#endif
