import Foundation
import ImageServer
import TestSupport
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    @Test("Different texts have different tags")
    func names() {
        var names: Set<String> = []
        for first in 0..<100 {
            for second in 0..<100 { names.insert(EntityTag.named("\(first) \(second)")) }
        }
        #expect(names.count == 10_000)
        #expect(names.allSatisfy { $0.utf8.count == 34 && $0.hasPrefix("\"") && $0.hasSuffix("\"") })
        #expect(EntityTag.named("a") == EntityTag.named("a"))
    }

    @Test(
        "A list of tags matches a tag or doesn't",
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("\"b\" ,\t\"a\" ", true), ("*", true),
            ("\"b\"", false), ("", false), ("a", false), (",,,", false), ("W/", false),
        ])
    func lists(_ list: String, _ contains: Bool) {
        #expect(EntityTag.list(list, contains: "\"a\"") == contains)
    }

    @Test(
        "Servers with a copy each give the same tags, as long as size and time of the file are the same",
        arguments: [
            "/original/photo.png", "/image/photo.png?w=50", "/image/photo.png?w=50&overlay=cutout.png,1,1",
            "/iiif/3/photo.png/info.json", "/iiif/3/photo.png/full/40,/0/default.jpg",
        ])
    func copies(_ target: String) async throws {
        func gallery(_ time: Date) throws -> Gallery {
            let gallery = try Gallery()
            for name in ["photo.png", "cutout.png"] {
                try FileManager.default.setAttributes(
                    [.modificationDate: time], ofItemAtPath: gallery.folder.file(name))
            }
            return gallery
        }
        func tag(_ gallery: Gallery) async throws -> String {
            let response = await gallery.get(target)
            #expect(response.status == 200, "\(response.text)")
            return try #require(response.fields.first { $0.name == "ETag" }?.value)
        }
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let one = try await tag(gallery(time))
        #expect(try await tag(gallery(time)) == one)
        #expect(try await tag(gallery(time + 1)) != one)
    }
}
