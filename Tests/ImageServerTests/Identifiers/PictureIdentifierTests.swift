import ImageServer
import Testing

@Suite("Identifiers")
struct PictureIdentifierTests {
    @Test(
        "A path of visible names is an identifier",
        arguments: [
            ("a", "a", nil), ("a.jpg", "a.jpg", "jpg"), ("a/b.PNG", "b.PNG", "png"),
            ("a/b/c d.e.tif", "c d.e.tif", "tif"),
            ("ä/ö.webp", "ö.webp", "webp"), ("a..b", "a..b", "b"), ("a.", "a.", ""), ("100%.jpg", "100%.jpg", "jpg"),
            ("a~b", "a~b", nil), ("a:b.jpg", "a:b.jpg", "jpg"), ("-rf.jpg", "-rf.jpg", "jpg"),
        ] as [(String, String, String?)])
    func accepted(text: String, name: String, filenameExtension: String?) throws {
        let identifier = try PictureIdentifier(decoded: text)
        #expect(identifier.path == text)
        #expect(identifier.name == name)
        #expect(identifier.filenameExtension == filenameExtension)
        #expect(try URLPath.decode(identifier.encoded) == text)
        #expect(!identifier.encoded.contains("/"))
    }

    @Test("Identifiers are compared by bytes")
    func bytes() throws {
        let (composed, decomposed) = ("\u{E4}.jpg", "a\u{308}.jpg")
        #expect(composed == decomposed)
        #expect(try PictureIdentifier(decoded: composed) != PictureIdentifier(decoded: decomposed))
        #expect(try PictureIdentifier(decoded: composed) == PictureIdentifier(decoded: composed))
        #expect(try Set([PictureIdentifier(decoded: composed), PictureIdentifier(decoded: decomposed)]).count == 2)
    }

    @Test("Names have at most 255 bytes, identifiers 1024")
    func lengths() throws {
        let name = String(repeating: "a", count: 255)
        #expect(try PictureIdentifier(decoded: name).name == name)
        #expect(failureStatus { () throws(RequestFailure) in try PictureIdentifier(decoded: name + "a") } == 404)
        let path = Array(repeating: name, count: 4).joined(separator: "/") + "/"
        #expect(path.utf8.count == 1024)
        #expect(try PictureIdentifier(decoded: String(path.dropLast())).path.utf8.count == 1023)
        #expect(failureStatus { () throws(RequestFailure) in try PictureIdentifier(decoded: path + "a") } == 404)
    }
}
