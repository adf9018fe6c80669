import Foundation
import ImageFormats
import ImageFormatsTestSupport
import JPNGContainer
import Raster
import SamplePictures
import Testing
import TestSupport

/// What other programs make of the files that are written here.
@Suite("JPNG: other programs")
struct JPNGInteroperationTests {
    typealias Fixture = JPNGFixture

    private static let djpeg = CommandLineTool("djpeg")

    private static func read(_ path: String, _ arguments: String...) throws -> [UInt8] {
        let reader = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "jpng_reader.py")
        return try #require(try CommandLineTool.python.output([reader.path, path] + arguments))
    }

    @Test("A reader written from the specification reads our files", .needs(.python), arguments: SamplePicture.allCases)
    func aReaderMadeFromTheDescriptionReadsOurFiles(picture: SamplePicture) throws {
        let bitmap = try picture.makeBitmap(size: PixelSize(width: 150, height: 101))
        let folder = try TemporaryFolder()
        let file = try Fixture.encode(bitmap)
        let path = try folder.write(file, to: "picture.jpng")
        let fields = try JSONSerialization.jsonObject(with: Data(Self.read(path))) as? [String: Any]
        let container = try Fixture.container(file)
        #expect(fields?["imageSize"] as? Int == container.colorRange.count)
        #expect(fields?["maskSize"] as? Int == container.maskRange.count)
        #expect(fields?["majorVersion"] as? Int == 1)
        #expect(fields?["minorVersion"] as? Int == 0)
        #expect(fields?["identifier"] as? String == "GNPJ")
        #expect(fields?["slack"] as? Int == 0)
        #expect(fields?["colorStart"] as? String == "ffd8ff")
        #expect(fields?["colorEnd"] as? String == "ffd9")
        #expect(fields?["maskStart"] as? String == "89504e470d0a1a0a")
        #expect(try Self.read(path, "--alpha") == Fixture.alpha(bitmap))
    }

    @Test("Pillow opens our files as JPEG", .needsPillow, arguments: [1, 2])
    func pillowOpensOurFilesAsJPEG(version: Int) throws {
        let bitmap = try Fixture.cutout(150, 101)
        let folder = try TemporaryFolder()
        let file = try Fixture.encode(
            bitmap, .jpng, EncodingOptions(jpng: EncodingOptions.JPNG(version: version, maskQuality: 1)))
        let path = try folder.write(file, to: "picture.jpng")
        let colors = try Fixture.decode(file).bitmap.pixels.flatMap { [$0.red, $0.green, $0.blue] }
        let seen = try Self.read(path, "--color")
        #expect(seen.count == colors.count)
        // Decoders may differ in the last bit.
        #expect(zip(seen, colors).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
        let alpha = try Self.read(path, "--alpha")
        #expect(zip(alpha, Fixture.alpha(bitmap)).allSatisfy { abs(Int($0) - Int($1)) <= (version == 1 ? 0 : 6) })
    }

    @Test("djpeg opens our files as JPEG", .needs(djpeg))
    func djpegOpensOurFilesAsJPEG() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Fixture.encode(Fixture.cutout(150, 101)), to: "picture.jpng")
        let output = try #require(try Self.djpeg.output(["-ppm", path]))
        #expect(output.starts(with: Array("P6\n150 101\n255\n".utf8)))
        #expect(output.count == 15 + 150 * 101 * 3)
    }
}
