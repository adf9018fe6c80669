import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// What other programs make of the files that are written here, and how good their colours are beside others'.
@Suite("GIF: other programs")
struct GIFInteroperationTests {
    private static let gifsicle = CommandLineTool("gifsicle")

    private static func animation(hasTransparency: Bool) throws -> [Bitmap] {
        try (0..<3).map { step in
            let picture = hasTransparency ? SamplePicture.cutout : .fruit
            return try picture.makeBitmap(size: PixelSize(width: 40 + step * 4, height: 30 + step * 3))
                .cropped(to: PixelRect(x: step * 2, y: step, width: 40, height: 30))
        }
    }

    @Test("Pillow decodes our files to the same frames", .needsPillow, arguments: [false, true])
    func pillowShowsWhatWeShow(hasTransparency: Bool) throws {
        let frames = try Self.animation(hasTransparency: hasTransparency)
        let file = try GIFPictures.encode(frames, frames.map { _ in 0.08 })
        let seen = try #require(try Pillow.frames(file))
        #expect(seen.map(\.shown) == GIFAnimation(file).shown)
        #expect(seen.map(\.duration) == frames.map { _ in 80 })
        let still = try GIFPictures.encode(frames[0])
        let one = try #require(try Pillow.frames(still))
        #expect(one.map(\.shown) == [DecoderSession(gif: still).pixels])
    }

    @Test("gifsicle finds no errors", .needs(gifsicle), arguments: [false, true])
    func gifsicleFindsNothingWrong(hasTransparency: Bool) throws {
        let frames = try Self.animation(hasTransparency: hasTransparency)
        let file = try GIFPictures.encode(frames, frames.map { _ in 0.08 })
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "animation.gif")
        // What it reads and writes anew shows the same.
        let rewritten = try #require(try Self.gifsicle.output(["--no-warnings", path]))
        #expect(GIFAnimation(rewritten).shown == GIFAnimation(file).shown)
        #expect(GIFAnimation(rewritten).frames.map(\.storedDuration) == frames.map { _ in 0.08 })
    }

    @Test(
        "Our colours are closer than Pillow's", .needsPillow,
        arguments: [SamplePicture.valley, .fruit])
    func quality(picture: SamplePicture) throws {
        let bitmap = try picture.makeBitmap(size: PixelSize(width: 150, height: 100)).converted(alpha: AlphaMode.none)
        let folder = try TemporaryFolder()
        let original = try folder.write(ImageDestination(format: .png).encode(bitmap), to: "original.png")
        let script = "import sys; from PIL import Image; Image.open(sys.argv[1]).convert('RGB').save(sys.argv[2])"
        try #require(try CommandLineTool.python.run(["-c", script, original, folder.file("theirs.gif")]))
        let seen = try #require(try Pillow.picture(folder.read("theirs.gif")))
        var options = EncodingOptions()
        options.gif.isDithered = false
        let ours = DecoderSession(gif: try GIFPictures.encode(bitmap, options: options)).pixels
        let (our, their) = (
            GIFPictures.signalToNoise(ours, bitmap.pixels), GIFPictures.signalToNoise(seen.shown, bitmap.pixels)
        )
        #expect(our > their + 0.5, "\(our) dB, \(their) dB")
    }
}
