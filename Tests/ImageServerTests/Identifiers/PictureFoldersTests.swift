import Foundation
import ImageFormats
import ImageLoading
import ImageServer
import Raster
import TestSupport
import Testing

@Suite("Folders of images")
struct PictureFoldersTests {
    private let tree: PictureTree

    init() throws { tree = try PictureTree() }

    private func open(_ path: String, _ folders: PictureFolders) throws(RequestFailure) -> OpenedFile {
        try folders.open(PictureIdentifier(decoded: path))
    }

    private func content(_ file: OpenedFile) -> String? {
        let bytes = try? file.source.bytes()
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A file is known by its name and extension, and its status")
    func status() throws {
        let folders = try PictureFolders([tree.served])
        let file = try open("sub/c", folders)
        #expect(file.identifier.path == "sub/c.jpg")
        #expect(file.byteCount == "served/sub/c.jpg".utf8.count)
        let attributes = try FileManager.default.attributesOfItem(atPath: tree.served + "/sub/c.jpg")
        #expect(file.status?.inode == (attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
        let date = try #require(attributes[.modificationDate] as? Date)
        #expect(file.modificationTime.seconds == Int64(date.timeIntervalSince1970.rounded(.down)))
        #expect(1...13 ~= file.version.utf8.count)
    }

    @Test("The version changes with the file and with its content")
    func version() throws {
        let folders = try PictureFolders([tree.served])
        let before = try open("a.jpg", folders).version
        #expect(try open("a.jpg", folders).version == before)
        #expect(try open("b.png", folders).version != before)
        try tree.folder.write(Array("changed".utf8), to: "served/a.jpg")
        let after = try open("a.jpg", folders).version
        #expect(after != before)
        // The same content, length and time in another file.
        try FileManager.default.copyItem(atPath: tree.served + "/a.jpg", toPath: tree.served + "/new.jpg")
        try FileManager.default.removeItem(atPath: tree.served + "/a.jpg")
        try FileManager.default.moveItem(atPath: tree.served + "/new.jpg", toPath: tree.served + "/a.jpg")
        #expect(try open("a.jpg", folders).version != after)
    }

    @Test("An open file stays the same")
    func stays() throws {
        let folders = try PictureFolders([tree.served])
        let file = try open("a.jpg", folders)
        try FileManager.default.removeItem(atPath: tree.served + "/a.jpg")
        try tree.folder.write(Array("another".utf8), to: "served/a.jpg")
        #expect(content(file) == "served/a.jpg")
        #expect(try content(open("a.jpg", folders)) == "another")
    }

    @Test("New, changed and removed files are noticed, and replaced folders")
    func noticed() throws {
        let folders = try PictureFolders([tree.served])
        #expect(failureStatus { () throws(RequestFailure) in try open("new", folders) } == 404)
        try tree.folder.write([1], to: "served/new.gif")
        #expect(try open("new", folders).byteCount == 1)
        try FileManager.default.removeItem(atPath: tree.served + "/new.gif")
        #expect(failureStatus { () throws(RequestFailure) in try open("new", folders) } == 404)
        try FileManager.default.moveItem(atPath: tree.served, toPath: tree.folder.file("old"))
        #expect(failureStatus { () throws(RequestFailure) in try open("a", folders) } == 404)
        try FileManager.default.createDirectory(atPath: tree.served, withIntermediateDirectories: true)
        try tree.folder.write([1, 2], to: "served/a.png")
        #expect(try open("a", folders).identifier.path == "a.png")
    }

    @Test("With several folders, the first component is the folder's name")
    func several() throws {
        let manager = FileManager.default
        for name in ["x/pictures", "y/pictures", ".dot"] {
            try manager.createDirectory(atPath: tree.folder.file(name), withIntermediateDirectories: true)
            try tree.folder.write(Array(name.utf8), to: name + "/p.jpg")
        }
        let folders = try PictureFolders(
            ["x/pictures", "y/pictures", ".dot", "served"].map { tree.folder.file($0) })
        for (path, content) in [
            ("pictures/p.jpg", "x/pictures"), ("pictures-2/p", "y/pictures"), ("dot/p", ".dot"),
            ("served/sub/c", "served/sub/c.jpg"),
        ] {
            #expect(try self.content(open(path, folders)) == content, "\(path)")
        }
        for path in ["p.jpg", "pictures", "pictures-3/p", "a", "served", "Pictures/p", "served-too"] {
            #expect(failureStatus { () throws(RequestFailure) in try open(path, folders) } == 404, "\(path)")
        }
    }

    @Test("Without folders there are no images")
    func none() throws {
        let folders = try PictureFolders([])
        #expect(failureStatus { () throws(RequestFailure) in try open("a.jpg", folders) } == 404)
    }

    @Test(
        "A path that is no folder is refused", arguments: ["not-there", "served/a.jpg", "served/pipe.jpg", "a\u{0}b"])
    func refused(name: String) {
        #expect {
            try PictureFolders([tree.folder.file(name)])
        } throws: { ($0 as? ImageError)?.code == .inputOutput }
    }

    @Test("Unused files are closed")
    func closed() throws {
        let folders = try PictureFolders([tree.served])
        let first = try #require(try open("a.jpg", folders).source.fileNumber)
        for _ in 0..<2000 {
            _ = try open("a.jpg", folders)
            _ = failureStatus { () throws(RequestFailure) in try open("pipe.jpg", folders) }
            _ = failureStatus { () throws(RequestFailure) in try open("two", folders) }
        }
        // Other tests open files meanwhile, but not thousands.
        let last = try #require(try open("a.jpg", folders).source.fileNumber)
        #expect(last < first + 500)
    }
}
