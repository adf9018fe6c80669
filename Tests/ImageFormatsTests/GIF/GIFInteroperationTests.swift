import ImageFormats
import Raster
import SamplePictures
import Testing
import TestSupport

/// What other programs make of the files that are written here, and how good their colours are beside others'.
@Suite("GIF: other programs")
struct GIFInteroperationTests {
    private static let noPillow: Comment = "there is no Python with Pillow; TESSERA_PYTHON can name one"

    private static func animation(hasTransparency: Bool) throws -> [Bitmap] {
        try (0..<3).map { step in
            let picture = hasTransparency ? SamplePicture.cutout : .fruit
            return try picture.makeBitmap(size: PixelSize(width: 40 + step * 4, height: 30 + step * 3))
                .cropped(to: PixelRect(x: step * 2, y: step, width: 40, height: 30))
        }
    }

    @Test(.enabled(if: GIFPrograms.hasPillow, noPillow), arguments: [false, true])
    func pillowShowsWhatWeShow(hasTransparency: Bool) throws {
        let frames = try Self.animation(hasTransparency: hasTransparency)
        let file = try GIFPictures.encode(frames, frames.map { _ in 0.08 })
        let folder = try TemporaryFolder()
        let seen = try #require(try GIFPrograms.pillowFrames(folder.write(file, to: "animation.gif")))
        #expect(seen.map(\.pixels) == GIFAnimation(file).shown)
        #expect(seen.map(\.duration) == frames.map { _ in 80 })
        let still = try GIFPictures.encode(frames[0])
        let one = try #require(try GIFPrograms.pillowFrames(folder.write(still, to: "still.gif")))
        #expect(one.map(\.pixels) == [GIFSession(still).pixels])
    }

    @Test(.enabled(if: GIFPrograms.gifsicle != nil, "gifsicle is not installed"), arguments: [false, true])
    func gifsicleFindsNothingWrong(hasTransparency: Bool) throws {
        let frames = try Self.animation(hasTransparency: hasTransparency)
        let file = try GIFPictures.encode(frames, frames.map { _ in 0.08 })
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "animation.gif")
        // What it reads and writes anew shows the same.
        let result = try GIFPrograms.run(#require(GIFPrograms.gifsicle), ["--no-warnings", path])
        #expect(result.status == 0)
        #expect(GIFAnimation(result.output).shown == GIFAnimation(file).shown)
        #expect(GIFAnimation(result.output).frames.map(\.storedDuration) == frames.map { _ in 0.08 })
    }

    @Test(
        "our colours are nearer than Pillow's", .enabled(if: GIFPrograms.hasPillow, noPillow),
        arguments: [SamplePicture.valley, .fruit])
    func quality(picture: SamplePicture) throws {
        let bitmap = try picture.makeBitmap(size: PixelSize(width: 150, height: 100)).converted(alpha: AlphaMode.none)
        let folder = try TemporaryFolder()
        let original = try folder.write(ImageDestination(format: .png).encode(bitmap), to: "original.png")
        let theirs = folder.file("theirs.gif")
        let script = "import sys; from PIL import Image; Image.open(sys.argv[1]).convert('RGB').save(sys.argv[2])"
        let result = try GIFPrograms.run(#require(GIFPrograms.python), ["-c", script, original, theirs])
        #expect(result.status == 0)
        let seen = try #require(try GIFPrograms.pillowFrames(theirs)?.first)
        var options = EncodingOptions()
        options.gif.isDithered = false
        let ours = GIFSession(try GIFPictures.encode(bitmap, options: options)).pixels
        let (our, their) = (
            GIFPictures.signalToNoise(ours, bitmap.pixels), GIFPictures.signalToNoise(seen.pixels, bitmap.pixels)
        )
        #expect(our > their + 0.5, "\(our) dB, \(their) dB")
    }
}
