import Foundation
import ImageFormats
import Raster
import Tessera
import TestSupport
import Testing

/// Which filter makes pictures smaller.
@Suite("tessera convert: filters")
struct ConvertFilterTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let photo = try Pictures.photograph(PixelSize(width: 640, height: 480))
        try folder.write(photo.file(.png), to: "photo.png")
        try folder.write(photo.file(.jpeg), to: "photo.jpg")
    }

    @Test("convert filters as the library does", arguments: ["photo.png", "photo.jpg"])
    func convertMakesThePicturesOfTheLibrary(name: String) throws {
        let size = PixelSize(width: 120, height: 90)
        for (word, filter) in [
            (nil, ResamplingFilter.lanczos3), ("lanczos", .lanczos3), ("mitchell", .mitchell), ("area", .area),
        ] as [(String?, ResamplingFilter)] {
            let arguments = ["convert", name, "small.png", "--force", "--size", "120x120"]
            let outcome = try Command.run(arguments + (word.map { ["--filter", $0] } ?? []), in: folder)
            #expect(outcome.status == 0 && outcome.errors == "")
            let rows = try ImageRowSource(
                Source(path: folder.file(name)), plan: DecodingPlan(targetSize: size))
            let wanted = try ResamplingRowSource(rows, to: size, filter: filter).makeBitmap()
            let small = try ImageSource.decode(folder.read("small.png")).bitmap
            #expect(small.size == size)
            #expect(try small.converted(to: .rgba8).tightBytes() == wanted.converted(to: .rgba8).tightBytes())
        }
    }

    @Test("fetch filters as convert does")
    func fetchMakesTheSame() throws {
        for filter in ["lanczos", "mitchell", "area"] {
            let convert = ["convert", "photo.jpg", "small.png", "--size", "120x120", "--filter", filter, "--force"]
            #expect(try Command.run(convert, in: folder).status == 0)
            let fetch = [
                "fetch", folder.file("photo.jpg"), "--size", "120x120", "--filter", filter, "--to", "png", "--out",
                "fetched", "--force",
            ]
            let outcome = try Command.run(fetch, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let converted = try ImageSource.decode(folder.read("small.png")).bitmap.converted(to: .rgba8).tightBytes()
            let fetched = try ImageSource.decode(folder.read("fetched/photo.png")).bitmap.converted(to: .rgba8)
                .tightBytes()
            #expect(zip(converted, fetched).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        }
    }

    @Test("Invalid filters are refused", arguments: [["--filter", "sharp", "--size", "9x9"], ["--filter", "area"]])
    func refusesWhatMakesNoSense(options: [String]) throws {
        let outcome = try Command.run(["convert", "photo.png", "small.png"] + options, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--filter"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("small.png")))
    }
}
