import Foundation
import Raster
import Tessera
import TestSupport
import Testing

/// High dynamic range, from file to file.
@Suite("tessera: dynamic range")
struct ConvertDynamicRangeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let map = try Pictures.photograph().resampled(to: PixelSize(width: 30, height: 20)).converted(to: .gray8)
        let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2.5), alternateHeadroom: 2.5)
        let image = Image(try Pictures.photograph()).withGainMap(GainMap(Image(map), metadata))
        try folder.write(image.data(as: .jpeg, quality: 0.95), to: "photo.jpg")
    }

    private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        let outcome = try Command.run(arguments, in: folder)
        return (outcome.status, outcome.text, outcome.errors)
    }

    private func isHigh(_ name: String) throws -> Bool {
        try ImageSource.header(of: folder.read(name)).profile.isHighDynamicRange
    }

    @Test("From a gain map to PQ, to standard range, and back to a gain map")
    func ways() throws {
        let high = try run("convert", "photo.jpg", "high.png", "--dynamic-range", "high", "--headroom", "4")
        #expect(high.status == 0 && high.errors == "", "\(high.errors)")
        #expect(try isHigh("high.png"))
        #expect(try run("info", "high.png").output.contains("PQ, BT.2020"))
        #expect(try run("convert", "high.png", "standard.png").status == 0)
        #expect(try !isHigh("standard.png"))
        #expect(try run("convert", "high.png", "stored.png", "--dynamic-range", "stored").status == 0)
        #expect(try isHigh("stored.png"))
        for arguments in [["--gain-map", "regenerate"], ["--dynamic-range", "high"]] {
            let made = try Command.run(["convert", "high.png", "made.jpg", "--force"] + arguments, in: folder)
            #expect(made.status == 0 && made.errors == "", "\(made.errors)")
            #expect(try Image(data: folder.read("made.jpg")).gainMap != nil)
        }
        #expect(try run("convert", "high.png", "plain.jpg").status == 0)
        #expect(try Image(data: folder.read("plain.jpg")).gainMap == nil)
    }

    @Test("Formats that can't hold a high range say so, and options that make no sense")
    func refusals() throws {
        #expect(try run("convert", "photo.jpg", "high.png", "--dynamic-range", "high").status == 0)
        let refused = try run("convert", "high.png", "a.webp", "--dynamic-range", "high")
        #expect(refused.status == 1 && refused.errors.contains("high dynamic range"), "\(refused.errors)")
        #expect(try run("convert", "photo.jpg", "a.png", "--headroom", "4").status == 64)
        #expect(try run("convert", "photo.jpg", "a.png", "--dynamic-range", "high", "--headroom", "0.5").status == 64)
    }

    @Test("Effects on colours keep the gains if asked")
    func effects() throws {
        let kept = try run("effect", "photo.jpg", "a.jpg", "--sepia", "1", "--gain-map", "regenerate")
        #expect(kept.status == 0 && kept.errors == "", "\(kept.errors)")
        #expect(try Image(data: folder.read("a.jpg")).gainMap != nil)
        #expect(try run("effect", "photo.jpg", "b.jpg", "--blur", "2", "--gain-map", "regenerate").status == 0)
        #expect(try Image(data: folder.read("b.jpg")).gainMap == nil)
    }
}
