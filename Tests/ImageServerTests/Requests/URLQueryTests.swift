import ImageServer
import Testing

@Suite("Queries of URLs")
struct URLQueryTests {
    @Test(
        "Items are split and decoded",
        arguments: [
            ("", []),
            ("a", [["a", ""]]),
            ("a=", [["a", ""]]),
            ("=b", [["", "b"]]),
            ("a=1&b=2", [["a", "1"], ["b", "2"]]),
            ("&&a=1&", [["a", "1"]]),
            ("a=1&a=2", [["a", "1"], ["a", "2"]]),
            ("a=b=c", [["a", "b=c"]]),
            ("a+b=c+d", [["a b", "c d"]]),
            ("a%2Bb=%26%3D", [["a+b", "&="]]),
            ("a=%2520", [["a", "%20"]]),
            ("q=0.5&text=%C3%A4", [["q", "0.5"], ["text", "ä"]]),
            ("a;b", [["a;b", ""]]),
            ("a=1?b", [["a", "1?b"]]),
        ] as [(String, [[String]])])
    func items(raw: String, items: [[String]]) throws {
        #expect(try URLQuery(raw).items.map { [$0.name, $0.value] } == items)
    }

    @Test(
        "Malformed and long queries are refused",
        arguments: [
            ("a=%", 400), ("a=%4", 400), ("%zz=1", 400), ("a=%00", 400), ("a=%C0%AF", 400), ("a=%ED%A0%80", 400),
            ("a=%FF&b", 400), ("a=+%", 400), (String(repeating: "a", count: 8193), 414),
        ])
    func refused(raw: String, status: Int) {
        #expect(failureStatus { () throws(RequestFailure) in try URLQuery(raw) } == status)
    }

    @Test("The first item of a name applies")
    func lookup() throws {
        let query = try URLQuery("w=1&w=2&h=&W=3")
        #expect(query["w"] == "1")
        #expect(query["h"] == "")
        #expect(query["W"] == "3")
        #expect(query["x"] == nil)
    }

    @Test("A query may have 8192 bytes")
    func longest() throws {
        #expect(try URLQuery(String(repeating: "a", count: 8192)).items.count == 1)
    }
}
