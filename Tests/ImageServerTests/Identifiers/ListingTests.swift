import Foundation
import ImageFormats
import ImageLoading
import ImageServer
import Raster
import TestSupport
import Testing

@Suite("Listings of images")
struct ListingTests {
    private let tree: PictureTree

    init() throws { tree = try PictureTree() }

    private func paths(_ contents: FolderContents) -> Set<String> { Set(contents.pictures.map(\.identifier.path)) }

    /// What can be named in the folder, links left out.
    private static let own: Set<String> = [
        "a.jpg", "b.png", "UPPER.JPG", "two.jpg", "two.png", "dots.v2.jpg", "ä ö+%41.png", "%2e%2e.jpg", "same.jpg",
        "same.png",
    ]

    @Test(
        "A folder's images and folders are listed, and nothing else",
        .needsLinux("links are left out where the system can't make sure of them"))
    func list() throws {
        let folders = try PictureFolders([tree.served])
        let contents = try folders.list("")
        #expect(paths(contents) == Self.own.union(["in.jpg"]))
        #expect(contents.folders.map(\.path) == ["empty", "folder.jpg", "in-folder", "loop-folder", "sub"])
        #expect(contents.folders.map(\.name) == contents.folders.map(\.path))
        #expect(contents.isComplete)
        for picture in contents.pictures {
            let file = try folders.open(picture.identifier)
            #expect(picture.byteCount == file.byteCount)
            #expect(picture.modificationTime == file.modificationTime)
            #expect(picture.format == (picture.identifier.filenameExtension == "png" ? .png : .jpeg))
        }
    }

    @Test("When opened step by step, links are left out")
    func listByStep() throws {
        let contents = try PictureFolders([tree.served], goesByStep: true).list("")
        #expect(paths(contents) == Self.own)
        #expect(contents.folders.map(\.path) == ["empty", "folder.jpg", "sub"])
    }

    @Test(
        "A subfolder's entries have paths from the top",
        .needsLinux("links are left out where the system can't make sure of them"))
    func inner() throws {
        let folders = try PictureFolders([tree.served])
        let sub = try folders.list("sub")
        #expect(paths(sub) == ["sub/c.jpg", "sub/up.jpg"])
        #expect(sub.folders.map(\.path) == ["sub/deep"])
        #expect(sub.folders.map(\.name) == ["deep"])
        #expect(try paths(folders.list("sub/deep")) == ["sub/deep/d.webp"])
        #expect(try paths(folders.list("in-folder")) == ["in-folder/c.jpg", "in-folder/up.jpg"])
        #expect(try paths(folders.list("empty")).isEmpty)
    }

    @Test(
        "Other paths aren't listed",
        arguments: [
            "..", "../outside", "sub/..", ".", "./sub", ".hidden", "/", "/etc", "sub/", "//", "a.jpg", "not-there",
            "out-folder", "up", "root", "root/etc", "cwd", "pipe.jpg", "sub\\deep", "sub\u{0}", "\n",
            "loop.jpg", "%2e%2e",
        ])
    func refused(folder: String) throws {
        for goesByStep in [false, true] {
            let folders = try PictureFolders([tree.served], goesByStep: goesByStep)
            #expect(failureStatus { () throws(RequestFailure) in try folders.list(folder) } == 404)
            #expect(failureStatus { () throws(RequestFailure) in try folders.search("a", in: folder) } == 404)
        }
    }

    @Test("With several folders, the top lists each")
    func several() throws {
        let folders = try PictureFolders([tree.served, tree.folder.file("outside")])
        let top = try folders.list("")
        #expect(top.folders.map(\.path) == ["outside", "served"])
        #expect(top.pictures.isEmpty)
        #expect(try paths(folders.list("outside")) == ["outside/secret.jpg"])
        #expect(try folders.list("served").folders.map(\.path).contains("served/sub"))
        #expect(try paths(folders.search("SECRET", in: "")) == ["outside/secret.jpg"])
        #expect(try paths(folders.search("c.jpg", in: "")) == ["served/sub/c.jpg"])
        #expect(failureStatus { () throws(RequestFailure) in try folders.list("sub") } == 404)
        #expect(try PictureFolders([]).list("").folders.isEmpty)
    }

    @Test(
        "A search covers all folders",
        arguments: [
            ("c.j", ["sub/c.jpg"], []), ("D.WEBP", ["sub/deep/d.webp"], []), ("upper", ["UPPER.JPG"], []),
            ("deep", [], ["sub/deep"]), ("Ä ö", ["ä ö+%41.png"], []), ("a\u{308}", ["ä ö+%41.png"], []),
            ("+%41", ["ä ö+%41.png"], []), ("..", ["%2e%2e.jpg"], nil), ("secret", [], []), ("hidden", [], []),
            ("passwd", [], []), ("notes", [], []), ("pipe", [], []), ("e.jpg%", [], []),
            (String(repeating: "a", count: 300), [], []), ("two", ["two.jpg", "two.png"], []), ("*", [], []),
        ] as [(String, [String], [String]?)])
    func search(text: String, pictures: [String], foundFolders: [String]?) throws {
        let folders = try PictureFolders([tree.served])
        let found = try folders.search(text, in: "")
        guard let foundFolders else {
            // Dots are letters like others, and no name has two in a row here.
            #expect(found.pictures.isEmpty && found.folders.isEmpty)
            return
        }
        #expect(paths(found) == Set(pictures))
        #expect(found.folders.map(\.path) == foundFolders)
        #expect(found.isComplete)
    }

    @Test(
        "A search in a folder covers that folder",
        .needsLinux("links are left out where the system can't make sure of them"))
    func searchWithin() throws {
        let folders = try PictureFolders([tree.served])
        #expect(try paths(folders.search(".", in: "sub")) == ["sub/c.jpg", "sub/up.jpg", "sub/deep/d.webp"])
        #expect(try paths(folders.search("", in: "sub/deep")) == ["sub/deep/d.webp"])
    }

    private static func limits(
        entryCount: Int, resultCount: Int, depth: Int = 32, duration: Duration = .seconds(60)
    ) -> FolderLimits {
        var limits = FolderLimits.standard
        (limits.entryCount, limits.resultCount) = (entryCount, resultCount)
        (limits.depth, limits.duration) = (depth, duration)
        return limits
    }

    @Test("Limits end a listing, which reports it")
    func limits() throws {
        let folders = try PictureFolders([tree.served])
        let few = Self.limits(entryCount: 5, resultCount: 100)
        #expect(try !folders.list("", limits: few).isComplete)
        #expect(try folders.list("", limits: few).pictures.count <= 5)
        #expect(try !folders.search("", in: "", limits: few).isComplete)
        #expect(try folders.list("sub/deep", limits: few).isComplete)
        let results = Self.limits(entryCount: 1000, resultCount: 3)
        let found = try folders.search("", in: "", limits: results)
        #expect(!found.isComplete)
        #expect(found.pictures.count + found.folders.count == 3)
        // A list is as long as the folder.
        #expect(try folders.list("", limits: results).isComplete)
        let shallow = Self.limits(entryCount: 1000, resultCount: 100, depth: 1)
        let near = try folders.search(".", in: "", limits: shallow)
        #expect(paths(near).contains("sub/c.jpg"))
        #expect(!paths(near).contains("sub/deep/d.webp"))
        #expect(!near.isComplete)
    }

    @Test("A time limit of zero ends a listing")
    func time() throws {
        for index in 0..<300 { try tree.folder.write([1], to: "served/sub/deep/\(index).gif") }
        let folders = try PictureFolders([tree.served])
        let none = Self.limits(entryCount: 100_000, resultCount: 100_000, duration: .zero)
        let contents = try folders.list("sub/deep", limits: none)
        #expect(!contents.isComplete)
        #expect(contents.pictures.count < 256)
        #expect(try folders.list("sub/deep").pictures.count == 301)
    }

    @Test("A cycle of folders is visited once")
    func circles() throws {
        let found = try PictureFolders([tree.served]).search("a.jpg", in: "")
        #expect(paths(found) == ["a.jpg"])
    }

    @Test("Folders are closed")
    func closed() throws {
        let folders = try PictureFolders([tree.served])
        let first = try #require(try folders.open(PictureIdentifier(decoded: "a.jpg")).source.fileNumber)
        for _ in 0..<1000 {
            _ = try folders.search("x", in: "")
            _ = failureStatus { () throws(RequestFailure) in try folders.list("a.jpg") }
        }
        let last = try #require(try folders.open(PictureIdentifier(decoded: "a.jpg")).source.fileNumber)
        #expect(last < first + 500)
    }
}
