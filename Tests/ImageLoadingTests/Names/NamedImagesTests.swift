import Foundation
import ImageFormats
import ImageLoading
import Raster
import TestSupport
import Testing

@Suite("Named images")
struct NamedImagesTests {
    /// A folder of PNG files; each picture is as many pixels wide as is said.
    private static func folder(_ files: [String: Int]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, width) in files { try write(width, to: name, in: folder) }
        return folder
    }

    private static func write(_ width: Int, to name: String, in folder: TemporaryFolder) throws {
        let parent = URL(fileURLWithPath: folder.file(name)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        let info = BitmapInfo(size: PixelSize(width: width, height: 1), format: .rgba8, alpha: .straight)
        try folder.write(ImageDestination(format: .png).encode(MutableBitmap(info).freeze()), to: name)
    }

    private static func images(_ folders: TemporaryFolder..., device: String? = nil) -> NamedImages {
        NamedImages(folders: folders.map(\.path), device: device, memoryPressure: nil)
    }

    private static let all = ["a.png": 10, "a@2x.png": 20, "a@3x.png": 30]

    @Test(
        "The file for the display's scale is chosen",
        arguments: [
            (all, 1, 10, 1), (all, 2, 20, 2), (all, 3, 30, 3), (all, 1.5, 20, 2), (all, 4, 30, 3), (all, 0.5, 10, 1),
            (["a.png": 10, "a@3x.png": 30], 2, 30, 3), (["a.png": 10], 3, 10, 1), (["a@2x.png": 20], 1, 20, 2),
            (["a@2x.png": 20, "a@3x.png": 30], 1, 20, 2), (["a.png": 10, "a@2x.png": 20], 3, 20, 2),
        ] as [([String: Int], Double, Int, Double)])
    func suitsTheDisplay(_ files: [String: Int], _ display: Double, _ width: Int, _ scale: Double) throws {
        let folder = try Self.folder(files)
        let image = try Self.images(folder).image(named: "a", scale: display)
        #expect((image.size.width, image.scale) == (width, scale))
        #expect(try Self.images(folder).image(named: "a.png", scale: display).size.width == width)
    }

    @Test("A name may include its scale")
    func aNameMaySayItsScale() throws {
        let folder = try Self.folder(["a@2x.png": 20, "a@1x.png": 11, "b@3x~tv.png": 33, "b@2x~tv.png": 22])
        let images = Self.images(folder)
        #expect(try images.image(named: "a@2x", scale: 1).scale == 2)
        #expect(try images.image(named: "a@2x.png", scale: 3).scale == 2)
        #expect(try images.image(named: "a@1x", scale: 3).size.width == 11)
        #expect(throws: ImageError.self) { try images.image(named: "a@3x", scale: 3) }
        #expect(try images.image(named: "b@3x~tv", scale: 1).size.width == 33)
        #expect(try images.image(named: "b~tv", scale: 1).size.width == 22)
    }

    @Test("A device's own file is chosen")
    func devicesHaveTheirOwn() throws {
        let folder = try Self.folder(["a.png": 10, "a~tv.png": 11, "a@2x.png": 20, "b@2x~tv.png": 21, "b.png": 12])
        let images = Self.images(folder, device: "tv")
        #expect(try images.image(named: "a", scale: 1).size.width == 11)
        #expect(try images.image(named: "a", scale: 2).size.width == 20)
        #expect(try images.image(named: "b", scale: 2).size.width == 21)
        #expect(try Self.images(folder).image(named: "b", scale: 2).size.width == 12)
    }

    @Test("The first folder that has the file is used")
    func theFirstFolderThatHasOneIsTaken() throws {
        let (first, second) = (try Self.folder(["a.png": 1]), try Self.folder(["a@2x.png": 2, "b.png": 3]))
        let images = Self.images(first, second)
        #expect(try images.image(named: "a", scale: 2).size.width == 1)
        #expect(try images.image(named: "b", scale: 2).size.width == 3)
    }

    @Test("Any format is found")
    func anyFormatCounts() throws {
        let folder = try Self.folder(["v1.5.png": 1, "icons/b.png": 2])
        let picture = try MutableBitmap(BitmapInfo(size: PixelSize(width: 8, height: 8), format: .rgba8)).freeze()
        try folder.write(ImageDestination(format: .jpng).encode(picture), to: "c@2x.jpng")
        try folder.write(ImageDestination(format: .gif).encode(picture), to: "d.gif")
        let images = Self.images(folder)
        #expect(try images.image(named: "v1.5").size.width == 1)
        #expect(try images.image(named: "icons/b").size.width == 2)
        #expect(try images.image(named: "c").scale == 2)
        #expect(try images.image(named: "d").size.width == 8)
        #expect(try Image(named: "d", in: images).size.width == 8)
    }

    @Test("An image is read and decoded once")
    func isReadAndDecodedOnce() async throws {
        let folder = try Self.folder(["a.png": 10])
        let images = Self.images(folder)
        #expect(try await images.image(named: "a").size.width == 10)
        #expect(images.count == 1)
        try Self.write(20, to: "a.png", in: folder)
        #expect(try await images.image(named: "a").size.width == 10)
        images.removeAll()
        #expect(try await images.image(named: "a").size.width == 20)
    }

    @Test("Concurrent tasks get the same image")
    func manyTasksGetOnePicture() async throws {
        let folder = try Self.folder(["b.png": 8])
        let picture = try MutableBitmap(BitmapInfo(size: PixelSize(width: 16, height: 16), format: .rgba8)).freeze()
        try folder.write(ImageDestination(format: .jpng).encode(picture), to: "a@2x.jpng")
        let images = Self.images(folder)
        for _ in 0..<10 {
            let identities = try await withThrowingTaskGroup(of: (name: String, identity: Int).self) { group in
                for number in 0..<40 {
                    let name = number % 2 == 0 ? "a" : "b"
                    group.addTask {
                        let image: Image =
                            number % 3 == 0
                            ? try { try images.image(named: name) }() : try await images.image(named: name)
                        guard try image.bitmap().size == image.size else { throw ImageError(.corrupt, "torn") }
                        return (name, image.identity)
                    }
                }
                return try await group.reduce(into: [String: Set<Int>]()) {
                    $0[$1.name, default: []].insert($1.identity)
                }
            }
            #expect(identities.mapValues(\.count) == ["a": 1, "b": 1])
            #expect(images.count == 2)
            images.removeAll()
        }
    }

    @Test("Removing all images during concurrent requests is safe")
    func emptyingWhileManyAskIsHarmless() async throws {
        let folder = try Self.folder(["a.png": 10, "a@2x.png": 20])
        let images = Self.images(folder)
        let sizes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<80 {
                group.addTask {
                    if number % 4 == 0 {
                        images.removeAll()
                        ImageMemory.removeDecodedPixels()
                    }
                    let scale = Double(1 + number % 2)
                    let image = try await images.image(named: "a", scale: scale)
                    return try image.bitmap().width == 10 * Int(scale) && image.scale == scale
                }
            }
            return try await group.reduce(into: Set<Bool>()) { $0.insert($1) }
        }
        #expect(sizes == [true])
    }

    @Test(
        "Names can't leave the folder",
        arguments: [
            "", "/", "/etc/passwd", "../a", "a/../../b", "..", ".", "./a", "a/..", "icons//b", "icons/", "a\u{0}",
            "../a.png",
        ])
    func namesStayInTheFolder(_ name: String) async throws {
        let parent = try Self.folder(["a.png": 1, "b.png": 1, "inner/icons/b.png": 1])
        let images = NamedImages(folders: [parent.file("inner")], memoryPressure: nil)
        let error = #expect(throws: ImageError.self) { () throws in try images.image(named: name) }
        #expect(error?.code == .invalidParameter)
        await #expect(throws: ImageError.self) { try await images.image(named: name) }
    }

    @Test(
        "A missing file yields no image",
        arguments: ["missing", "a.jpg", "a@2x.png", "a~tv", "@2x", ".png", "~", "folder", "a.png.png", "A"])
    func whatIsNotThere(_ name: String) throws {
        let folder = try Self.folder(["a.png": 1, "folder.png/inside.png": 1])
        let images = Self.images(folder)
        let error = #expect(throws: ImageError.self) { () throws in try images.image(named: name) }
        #expect(error?.code == .inputOutput)
        #expect(images.count == 0)
    }

    @Test("Damaged files aren't kept")
    func brokenFilesAreNotKept() async throws {
        let folder = try Self.folder(["a.png": 10])
        try folder.write(Array(folder.read("a.png").dropLast(30)), to: "cut.png")
        try folder.write([1, 2, 3], to: "noise.png")
        try folder.write([], to: "empty.png")
        let images = Self.images(folder)
        for name in ["cut", "noise", "empty"] {
            #expect(throws: ImageError.self) { () throws in try images.image(named: name) }
            await #expect(throws: ImageError.self) { try await images.image(named: name) }
        }
        #expect(images.count == 0)
        try Self.write(7, to: "noise.png", in: folder)
        #expect(try await images.image(named: "noise").size.width == 7)
    }

    @Test("Decoding limits apply")
    func limitsHold() throws {
        let folder = try Self.folder(["a.png": 10])
        var options = DecodingOptions()
        options.limits.maximumInputByteCount = 20
        let images = NamedImages(folders: [folder.path], options: options, memoryPressure: nil)
        let error = #expect(throws: ImageError.self) { () throws in try images.image(named: "a") }
        #expect(error?.code == .limitExceeded)
    }

    @Test("Without folders, nothing is found")
    func nowhereToLook() {
        let images = NamedImages(folders: [], memoryPressure: nil)
        #expect(throws: ImageError.self) { () throws in try images.image(named: "a") }
    }
}
