import Foundation
import ImageServer
import TestSupport
import Testing

@Suite("Orders of images")
struct PictureOrderTests {
    /// The names of files with these contents and times, put in order.
    private func sorted(
        _ files: [(name: String, byteCount: Int, time: Int)], _ order: PictureOrder
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        for file in files {
            try folder.write([UInt8](repeating: 1, count: file.byteCount), to: file.name)
            let date = Date(timeIntervalSince1970: TimeInterval(file.time))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file(file.name))
        }
        let pictures = try PictureFolders([folder.path]).list("").pictures
        return pictures.sorted(by: order.precedes).map(\.identifier.path)
    }

    @Test("Names are in natural order")
    func names() throws {
        let names = [
            "a.jpg", "A2.jpg", "a 2.jpg", "a02.jpg", "a10.jpg", "b.gif", "B.jpg", "b1.jpg", "b01x.jpg", "img9.png",
            "IMG10.png", "img99999999999999999999.png", "img100000000000000000000.png", "Z.jpg", "ä.jpg",
        ]
        let expected = [
            "a.jpg", "a 2.jpg", "A2.jpg", "a02.jpg", "a10.jpg", "b.gif", "B.jpg", "b1.jpg", "b01x.jpg", "img9.png",
            "IMG10.png", "img99999999999999999999.png", "img100000000000000000000.png", "Z.jpg", "ä.jpg",
        ]
        let files = names.map { ($0, 1, 0) }
        #expect(try sorted(files, PictureOrder(.name)) == expected)
        #expect(try sorted(files, PictureOrder(.name, isDescending: true)) == expected.reversed())
    }

    @Test("By date and by size, equal files are in order of names")
    func dateAndSize() throws {
        let files = [("c.jpg", 3, 100), ("a.jpg", 3, 50), ("b.jpg", 1, 100), ("d.jpg", 2, 200)]
        #expect(try sorted(files, PictureOrder(.date)) == ["a.jpg", "b.jpg", "c.jpg", "d.jpg"])
        #expect(
            try sorted(files, PictureOrder(.date, isDescending: true)) == ["d.jpg", "b.jpg", "c.jpg", "a.jpg"])
        #expect(try sorted(files, PictureOrder(.size)) == ["b.jpg", "d.jpg", "a.jpg", "c.jpg"])
        #expect(
            try sorted(files, PictureOrder(.size, isDescending: true)) == ["a.jpg", "c.jpg", "d.jpg", "b.jpg"])
    }

    @Test(
        "A query's words are parsed",
        arguments: [
            (nil, nil, .name, false), ("name", "asc", .name, false), ("date", "desc", .date, true),
            ("size", nil, .size, false), ("nonsense", "down", .name, false), ("DATE", "DESC", .name, false),
        ] as [(String?, String?, PictureOrder.Key, Bool)])
    func words(key: String?, direction: String?, expected: PictureOrder.Key, isDescending: Bool) {
        #expect(PictureOrder(key, direction) == PictureOrder(expected, isDescending: isDescending))
    }
}
