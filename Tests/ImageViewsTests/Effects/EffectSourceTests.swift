import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import TestSupport
import Testing

@MainActor @Suite("Local sources of effect views")
struct EffectSourceTests {
    private let fixture = EffectFixture()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ value: Int, format: ImageFormat = .png) throws -> String {
        let data = try TestPicture.file(format, try Image.plain(value).bitmap())
        return try folder.write([UInt8](data), to: name)
    }

    /// Has the view show a file, and returns when that has come to its end.
    private func red(_ view: EffectImageView, _ path: String, refreshes: Bool = false) async -> Int? {
        view.setImage(contentsOfFile: path, refreshes: refreshes)
        view.updateIfNeeded()
        await fixture.drain()
        // What the queue has told is on its way to the main actor.
        while view.asynchronous, view.error == nil, view.image == nil { await Task.yield() }
        return view.shownRed
    }

    @Test("A file is loaded by its path", arguments: [false, true]) func aFileByItsPath(asynchronous: Bool) async throws
    {
        let view = fixture.view(asynchronous: asynchronous)
        let path = try write("a.png", 90)
        #expect(await red(view, path) == 90)
        #expect(view.image?.size == PixelSize(width: 16, height: 16), "the original, not what was made of it")
        #expect(view.image?.red == 90)
        #expect((view.transition == nil) == !asynchronous)
        view.setImage(contentsOf: URL(fileURLWithPath: try write("b c.png", 80)))
        await view.waitForPicture(80)
    }

    @Test("Names are looked up in the resource folder")
    func namesAreFoundInTheResourceFolder() async throws {
        _ = try write("star.png", 1)
        _ = try write("moon.bmp", 2, format: .bmp)
        try FileManager.default.createDirectory(atPath: folder.file("v1.2"), withIntermediateDirectories: true)
        _ = try write("v1.2/sun.png", 3)
        _ = try write(".hidden.png", 4)
        let view = fixture.view()
        // Nothing else runs on the main actor in between.
        let usual = EffectImageView.resourceFolder
        EffectImageView.resourceFolder = folder.path
        defer { EffectImageView.resourceFolder = usual }
        for (name, value) in [("star", 1), ("star.png", 1), ("moon.bmp", 2), ("v1.2/sun", 3), (".hidden", 4)] {
            view.setImage(contentsOfFile: name)
            #expect(view.shownRed == value)
        }
        view.setImage(contentsOfFile: "moon")
        #expect(view.error?.code == .inputOutput, "it would be a PNG")
    }

    @Test("The resource folder is the program's unless it is set")
    func theResourceFolderIsTheProgramsUnlessSet() {
        #expect(EffectImageView.resourceFolder.hasPrefix("/"))
        #expect(FileManager.default.fileExists(atPath: EffectImageView.resourceFolder))
    }

    @Test("A missing file is an error", arguments: [false, true]) func aFileThatIsntThereIsAnError(asynchronous: Bool)
        async throws
    {
        let view = fixture.view(asynchronous: asynchronous)
        #expect(await red(view, try write("a.png", 90)) == 90)
        #expect(await red(view, folder.file("missing.png")) == nil, "another picture wouldn't be right")
        #expect(view.error?.code == .inputOutput)
        #expect(view.image == nil)
        try folder.write(Array("no picture".utf8), to: "text.png")
        #expect(await red(view, folder.file("text.png")) == nil)
        #expect(view.error?.code == .unknownFormat)
        #expect(await red(view, folder.path) == nil)
        #expect(view.error?.code == .inputOutput)
        // It may be there the next time.
        #expect(await red(view, folder.file("later.png")) == nil)
        #expect(await red(view, try write("later.png", 70)) == 70)
        #expect(view.error == nil)
    }

    @Test("The placeholder stays where a file is missing")
    func aPlaceholderThatWasSetStaysWhereAFileIsMissing() async throws {
        let view = fixture.view()
        view.processedImage = try .plain(10)
        view.setImage(contentsOfFile: folder.file("missing.png"))
        #expect(view.shownRed == 10)
        #expect(view.error?.code == .inputOutput)
    }

    @Test("The same file is read again only on refresh", arguments: [false, true])
    func theSameFileIsReadAgainOnlyToRefreshIt(asynchronous: Bool) async throws {
        let view = fixture.view(asynchronous: asynchronous)
        let path = try write("a.png", 90)
        #expect(await red(view, path) == 90)
        _ = try write("a.png", 60)
        #expect(await red(view, path) == 90)
        let second = fixture.view(asynchronous: asynchronous)
        #expect(await red(second, path) == 90)
        #expect(second.image?.red == 90, "decoded when it is asked for, of the bytes that were read")
        #expect(await red(view, path, refreshes: true) == 60)
        #expect(view.image?.red == 60)
    }

    @Test("A cached result of a file comes with its original")
    func aFileInTheCacheComesWithItsOriginal() throws {
        let path = try write("a.png", 90)
        let first = fixture.view()
        first.setImage(contentsOfFile: path)
        #expect(first.shownRed == 90)
        let fileBytes = try folder.read("a.png").count
        #expect(fixture.cache.byteCount == 8 * 64 + fileBytes)
        try FileManager.default.removeItem(atPath: path)
        let second = fixture.view(asynchronous: true)
        second.setImage(contentsOfFile: path)
        #expect(second.shownRed == 90)
        #expect(second.transition == nil)
        #expect(second.image?.red == 90)
        #expect(second.error == nil)
    }
}
