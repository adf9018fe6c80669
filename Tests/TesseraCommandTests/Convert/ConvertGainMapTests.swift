import Foundation
import Raster
import Tessera
import TestSupport
import Testing

/// What becomes of a gain map, from file to file.
@Suite("tessera: gain maps")
struct ConvertGainMapTests {
    private let folder: TemporaryFolder
    private static let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2.5), alternateHeadroom: 2.5)

    init() throws {
        folder = try TemporaryFolder()
        let map = try Pictures.photograph().resampled(to: PixelSize(width: 30, height: 20)).converted(to: .gray8)
        let image = Image(try Pictures.photograph()).withGainMap(GainMap(Image(map), Self.metadata))
        try folder.write(image.data(as: .jpeg, quality: 0.95), to: "photo.jpg")
    }

    private func map(_ name: String) throws -> GainMap? { try Image(data: folder.read(name)).gainMap }

    /// How far the map's values are from the luma of its own image, in steps of 8 bits, on average.
    private func misfit(_ name: String) throws -> Double {
        let image = try Image(data: folder.read(name))
        let map = try #require(image.gainMap).image.bitmap()
        return try map.meanDifference(from: image.bitmap().resampled(to: map.size).converted(to: .gray8))
    }

    @Test("The map is kept by default, with its numbers and at its place")
    func keeps() throws {
        for (arguments, size) in [
            (["convert", "photo.jpg", "a.jpg"], PixelSize(width: 30, height: 20)),
            (["convert", "photo.jpg", "a.jpg", "--size", "20x20", "--keep", "all"], PixelSize(width: 10, height: 7)),
            (["effect", "photo.jpg", "a.jpg", "--rotate", "90"], PixelSize(width: 20, height: 30)),
            (["effect", "photo.jpg", "a.jpg", "--crop", "20,10,30,20"], PixelSize(width: 15, height: 10)),
            (
                ["effect", "photo.jpg", "a.jpg", "--fit", "30x30", "--flip", "horizontal"],
                PixelSize(width: 15, height: 10)
            ),
        ] {
            let outcome = try Command.run(arguments + ["--force"], in: folder)
            #expect(outcome.status == 0 && outcome.errors == "", "\(arguments): \(outcome.errors)")
            let map = try #require(try map("a.jpg"), "\(arguments)")
            #expect(map.metadata == Self.metadata && map.image.size == size, "\(arguments)")
            #expect(try misfit("a.jpg") < 8, "\(arguments)")
        }
    }

    @Test("The map goes from format to format and back", arguments: ["heic", "avif", "jxl"])
    func formats(ending: String) throws {
        let registry = CodecRegistry.default
        guard registry.capabilities(of: try #require(ImageFormat(filenameExtension: ending))).contains(.encode) else {
            return
        }
        func run(_ arguments: String...) throws {
            let outcome = try Command.run(arguments, in: folder)
            #expect(outcome.status == 0 && outcome.errors == "", "\(arguments): \(outcome.errors)")
        }
        try run("convert", "photo.jpg", "d.\(ending)")
        try run("convert", "d.\(ending)", "d.jpg")
        try run("convert", "d.\(ending)", "small.jpg", "--size", "20x20")
        for name in ["d.\(ending)", "d.jpg", "small.jpg"] {
            let map = try #require(try map(name), "\(name)")
            let size = name == "small.jpg" ? PixelSize(width: 10, height: 7) : PixelSize(width: 30, height: 20)
            #expect(map.metadata == Self.metadata && map.image.size == size, "\(name)")
            #expect(try misfit(name) < 8, "\(name)")
        }
        let information = String(decoding: try Command.run(["info", "d.\(ending)"], in: folder).output, as: UTF8.self)
        #expect(information.contains("headroom 2.5"), "\(information)")
        try run("convert", "photo.jpg", "e.\(ending)", "--gain-map", "drop")
        #expect(try map("e.\(ending)") == nil)
        // High dynamic range without a map is PQ.
        try run("convert", "photo.jpg", "f.\(ending)", "--dynamic-range", "high")
        let header = try ImageSource.header(of: folder.read("f.\(ending)"))
        #expect(try header.profile.isHighDynamicRange && map("f.\(ending)") == nil)
    }

    @Test("A map can be dropped, and then says nothing")
    func drops() throws {
        for arguments in [["convert"], ["effect", "--flip", "vertical"]] {
            let outcome = try Command.run(
                arguments[...0] + ["photo.jpg", "b.jpg", "--gain-map", "drop", "--force"] + arguments[1...], in: folder)
            #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
            #expect(try map("b.jpg") == nil)
        }
    }

    @Test("Formats and effects that lose the map say so")
    func notes() throws {
        for arguments in [["convert", "photo.jpg", "c.png"], ["effect", "photo.jpg", "c.jpg", "--grayscale"]] {
            let outcome = try Command.run(arguments, in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("\(arguments[2]) has no high dynamic range"), "\(outcome.errors)")
            #expect(try map(arguments[2]) == nil)
        }
    }

    @Test("A damaged map is left out, with its reason, and in place the file stays one image")
    func damaged() throws {
        let bytes = try folder.read("photo.jpg")
        try folder.write(Array(bytes.dropLast(50)), to: "cut.jpg")
        let outcome = try Command.run("convert", "cut.jpg", "d.jpg", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("the gain map of cut.jpg was left out"), "\(outcome.errors)")
        #expect(try Command.run("convert", "photo.jpg", "--in-place", in: folder).status == 0)
        #expect(try map("photo.jpg")?.metadata == Self.metadata)
    }

    @Test("info shows the map, or why it can't be used")
    func info() throws {
        let text = try Command.run("info", "photo.jpg", in: folder).text
        #expect(text.contains("  gain map:      30x20, grey, 0 to 2.50 stops, headroom 2.50 stops"), "\(text)")
        let json =
            try JSONSerialization.jsonObject(
                with: Data(Command.run("info", "--json", "photo.jpg", in: folder).output)) as? [[String: Any]]
        let map = try #require(json?.first?["gainMap"] as? [String: Any])
        #expect(map["width"] as? Int == 30 && map["alternateHeadroom"] as? Double == 2.5)
        try folder.write(Array(folder.read("photo.jpg").dropLast(50)), to: "cut.jpg")
        #expect(try Command.run("info", "cut.jpg", in: folder).text.contains("  gain map:      unusable: "))
    }
}
