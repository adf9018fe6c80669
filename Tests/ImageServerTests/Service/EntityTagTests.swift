import ImageServer
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
}
