import ImageServer
import Testing

@Suite("Paths of URLs")
struct URLPathTests {
    @Test(
        "A path is split before it is decoded",
        arguments: [
            ("/", []),
            ("/a", ["a"]),
            ("/a/", ["a", ""]),
            ("//a", ["", "a"]),
            ("/a//b", ["a", "", "b"]),
            ("/iiif/3/a%2Fb.jpg/info.json", ["iiif", "3", "a%2Fb.jpg", "info.json"]),
            ("/a/../b", ["a", "..", "b"]),
            ("/[frob]/<^>\\`{|}", ["[frob]", "<^>\\`{|}"]),
            ("/ä/\u{301}b", ["ä", "\u{301}b"]),
            ("/a;b=c:d@e", ["a;b=c:d@e"]),
        ] as [(String, [String])])
    func segments(raw: String, segments: [String]) throws {
        let path = try URLPath(raw)
        #expect(path.rawSegments == segments)
        #expect(path.raw == raw)
    }

    @Test(
        "A malformed path is refused",
        arguments: [
            ("", 400), ("a", 400), ("*", 400), ("http://host/a", 400), ("?a", 400),
            ("/a b", 400), ("/a\tb", 400), ("/a\nb", 400), ("/a\u{0}b", 400), ("/a\u{7F}", 400),
            ("/%", 400), ("/%4", 400), ("/%4/", 400), ("/%zz", 400), ("/%-1", 400), ("/%%", 400), ("/a%2", 400),
            ("/%00", 400), ("/a%00.jpg", 400), ("/%0", 400), ("/%+1", 400), ("/% 1", 400), ("/%u0041", 400),
            ("/" + String(repeating: "a", count: 4096), 414),
            ("/" + String(repeating: "%41", count: 1366), 414),
            ("/" + String(repeating: "ä", count: 2048), 414),
        ])
    func refused(raw: String, status: Int) {
        #expect(failureStatus { () throws(RequestFailure) in try URLPath(raw) } == status)
    }

    @Test("A path may have 4096 bytes")
    func longest() throws {
        #expect(try URLPath("/" + String(repeating: "a", count: 4095)).rawSegments[0].utf8.count == 4095)
    }

    @Test(
        "A segment is decoded once",
        arguments: [
            ("", ""), ("a", "a"), ("a%2Fb", "a/b"), ("a%2fb", "a/b"), ("%41%62", "Ab"), ("a+b", "a+b"),
            ("a%20b", "a b"), ("%25", "%"), ("%252F", "%2F"), ("%25252F", "%252F"), ("%C3%A4", "ä"), ("ä", "ä"),
            ("%F0%9F%96%BC", "🖼"), ("%2e%2E", ".."), ("%0A", "\n"), ("100%25.jpg", "100%.jpg"),
        ])
    func decoding(segment: String, text: String) throws {
        #expect(try URLPath.decode(segment).utf8.elementsEqual(text.utf8))
    }

    @Test(
        "A segment that isn't UTF-8 is refused, and so is one with a zero byte",
        arguments: [
            "%", "%4", "%g0", "%0g", "%00", "a%00b",
            // Overlong slashes, dots and zeros, as decoders of old took them.
            "%C0%AF", "%C0%AE%C0%AE", "%E0%80%AF", "%F0%80%80%AF", "%C0%80", "%C1%9C", "%E0%80%AE",
            // A surrogate, a byte that continues nothing, one that is missing, one above the last character.
            "%ED%A0%80", "%80", "%BF", "%C3", "%E2%82", "%F0%9F%96", "%F5%80%80%80", "%F8%88%80%80%80", "%FF", "%FE",
            "%C3a", "a%E4b",
        ])
    func undecodable(segment: String) {
        #expect(failureStatus { () throws(RequestFailure) in try URLPath.decode(segment) } == 400)
    }

    @Test(
        "Text is encoded like in browsers",
        arguments: [
            ("", ""), ("aZ09-_.!~*'()", "aZ09-_.!~*'()"), ("a/b c.jpg", "a%2Fb%20c.jpg"), ("ä", "%C3%A4"),
            ("100%+", "100%25%2B"), ("<\">\n", "%3C%22%3E%0A"),
            ("[]{}|\\^`#?&=@:;,$", "%5B%5D%7B%7D%7C%5C%5E%60%23%3F%26%3D%40%3A%3B%2C%24"),
        ])
    func encoding(text: String, segment: String) throws {
        #expect(URLPath.encode(text) == segment)
        #expect(try URLPath.decode(segment) == text)
    }
}
