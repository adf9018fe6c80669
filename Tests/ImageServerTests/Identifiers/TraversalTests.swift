import Foundation
import ImageFormats
import ImageServer
import TestSupport
import Testing

@Suite("Only images beneath the folder")
struct TraversalTests {
    private let tree: PictureTree

    init() throws { tree = try PictureTree() }

    /// What the file at the raw segment of an address contains, from the address to the bytes.
    private func content(_ segment: String, _ folders: PictureFolders) throws(RequestFailure) -> String {
        let path = try URLPath("/iiif/3/" + segment + "/info.json")
        let raw = path.rawSegments[2..<path.rawSegments.count - 1].joined(separator: "/")
        let file = try folders.open(PictureIdentifier(decoded: URLPath.decode(raw)))
        let bytes = try? file.source.bytes()
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    @Test("Files beneath the folder are found", arguments: [false, true])
    func found(goesByStep: Bool) throws {
        let folders = try PictureFolders([tree.served], goesByStep: goesByStep)
        for (segment, name) in [
            ("a.jpg", "a.jpg"), ("a", "a.jpg"), ("%61.jpg", "a.jpg"), ("sub%2Fc.jpg", "sub/c.jpg"),
            ("sub/c.jpg", "sub/c.jpg"), ("sub%2fdeep%2Fd", "sub/deep/d.webp"), ("UPPER", "UPPER.JPG"),
            ("UPPER.JPG", "UPPER.JPG"), ("dots.v2", "dots.v2.jpg"), ("two.png", "two.png"),
            ("%C3%A4%20%C3%B6+%2541.png", "ä ö+%41.png"), ("%C3%A4%20%C3%B6+%2541", "ä ö+%41.png"),
            ("%252e%252e.jpg", "%2e%2e.jpg"), ("same", "same.jpg"),
        ] {
            #expect(try content(segment, folders) == "served/" + name, "\(segment)")
        }
    }

    @Test(
        "Links that stay beneath the folder are followed",
        .needsLinux("where the system can't make sure of it, none is"))
    func links() throws {
        let folders = try PictureFolders([tree.served])
        for (segment, name) in [
            ("in.jpg", "sub/c.jpg"), ("in-folder%2Fc.jpg", "sub/c.jpg"), ("sub%2Fup.jpg", "a.jpg"),
            ("loop-folder%2Floop-folder%2Fa.jpg", "a.jpg"),
        ] {
            #expect(try content(segment, folders) == "served/" + name, "\(segment)")
        }
    }

    @Test("When opened step by step, no link is followed")
    func noLinks() throws {
        let careful = try PictureFolders([tree.served], goesByStep: true)
        for segment in ["in.jpg", "in-folder%2Fc.jpg", "sub%2Fup.jpg", "loop-folder%2Fa.jpg"] {
            #expect(failureStatus { () throws(RequestFailure) in try content(segment, careful) } == 404, "\(segment)")
        }
    }

    static let refused: [(segment: String, status: Int)] = [
        // Up, plain and encoded once.
        ("..", 404), ("../secret.jpg", 404), ("..%2Fsecret.jpg", 404), ("..%2fsecret.jpg", 404),
        ("%2e%2e%2Fsecret.jpg", 404), ("%2E%2E/secret.jpg", 404), (".%2e%2Fsecret.jpg", 404),
        ("sub%2F..%2Fa.jpg", 404), ("sub/../a.jpg", 404), ("sub%2F..%2F..%2Fsecret.jpg", 404),
        ("sub%2Fdeep%2F..%2F..%2F..%2Fsecret.jpg", 404), ("..%2Fserved%2Fa.jpg", 404),
        ("..%2F..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd", 404), ("a.jpg%2F..%2Fb.png", 404), (".", 404),
        (".%2Fa.jpg", 404), ("sub%2F.%2Fc.jpg", 404), ("..%2Fserved-too.jpg", 404), ("-too.jpg", 404),
        // Repaired by others: dots that are left when "../" is taken out.
        ("....%2F%2Fsecret.jpg", 404), ("....%2Fsecret.jpg", 404), ("..%2F..%2F", 404), ("...%2Fsecret.jpg", 404),
        ("..;%2Fsecret.jpg", 404),
        // Encoded twice, and more often: a name with a percent sign, which isn't there.
        ("%252e%252e%252Fsecret.jpg", 404), ("..%252Fsecret.jpg", 404), ("%25252e%25252e%25252Fsecret.jpg", 404),
        ("a%252Ejpg", 404),
        // Overlong UTF-8, old encodings, what isn't UTF-8.
        ("%C0%AE%C0%AE%2Fsecret.jpg", 400), ("..%C0%AFsecret.jpg", 400), ("..%E0%80%AFsecret.jpg", 400),
        ("..%F0%80%80%AFsecret.jpg", 400), ("%C0%80", 400), ("..%C1%9Csecret.jpg", 400), ("%u002e%u002e", 400),
        ("%uff0e%uff0e%2Fsecret.jpg", 400), ("a%FF.jpg", 400), ("%ED%A0%80.jpg", 400),
        // Characters that look like dots and slashes are others.
        ("%EF%BC%8E%EF%BC%8E%2Fsecret.jpg", 404), ("..%E2%88%95secret.jpg", 404), ("%E2%80%A5%2Fsecret.jpg", 404),
        ("..%2F%CC%81secret.jpg", 404), ("sub%2F%CC%81..%2Fa.jpg", 404),
        // Zero bytes, control characters.
        ("a.jpg%00", 400), ("%00", 400), ("a.jpg%00.png", 400), ("..%2Fsecret%00.jpg", 400), ("line%0Abreak.jpg", 404),
        ("a.jpg%0A", 404), ("a.jpg%0D%0ASet-Cookie:x", 404), ("%7F", 404), ("a.jpg%20", 404), ("%20a.jpg", 404),
        // Absolute paths, empty names, backslashes.
        ("%2Fetc%2Fpasswd", 404), ("/etc/passwd", 404), ("%2F%2Fetc%2Fpasswd", 404), ("%2Fa.jpg", 404),
        ("sub%2F%2Fc.jpg", 404), ("sub//c.jpg", 404), ("a.jpg%2F", 404), ("a.jpg/", 404), ("", 404), ("%2F", 404),
        ("a%5Cb.jpg", 404), ("..%5Csecret.jpg", 404), ("..\\secret.jpg", 404), ("C:%5Cboot.ini", 404),
        ("file:%2F%2F%2Fetc%2Fpasswd", 404), ("~%2Fa.jpg", 404),
        // Hidden files and folders.
        (".hidden.jpg", 404), (".hidden%2Fe.jpg", 404), (".hidden%2Fe", 404), ("%2Ehidden.jpg", 404), (".hidden", 404),
        ("..jpg", 404), ("sub%2F.hidden.jpg", 404),
        // Links that lead out, to nowhere or in circles.
        ("out.jpg", 404), ("out", 404), ("out-absolute.jpg", 404), ("out-folder%2Fsecret.jpg", 404),
        ("out-folder%2Fsecret", 404), ("out-twice.jpg", 404), ("sub%2Fup-and-out.jpg", 404), ("loop.jpg", 404),
        ("nowhere.jpg", 404), ("passwd.jpg", 404), ("self.jpg", 404), ("fd.jpg", 404), ("root%2Fetc%2Fpasswd", 404),
        ("cwd%2Fa.jpg", 404), ("up%2Fsecret.jpg", 404), ("up%2Fserved%2Fa.jpg", 404), ("back.jpg", 404),
        // Devices, pipes, sockets, folders.
        ("null.jpg", 404), ("tty.jpg", 404), ("pipe.jpg", 404), ("pipe", 404), ("to-pipe.jpg", 404),
        ("socket.jpg", 404), ("folder.jpg", 404), ("sub", 404), ("folder", 404), ("empty", 404), ("sub%2F", 404),
        // No pictures, not there, not clear, too long.
        ("notes.txt", 404), ("passwd", 404), ("no-extension", 404), ("notes", 404), ("c.jpg", 404), ("A.JPG", 404),
        ("two", 404), ("a.jpg%2Fb", 404), ("a.jpg.jpg", 404), ("a.", 404), ("a.jp", 404),
        (String(repeating: "a", count: 256), 404), (String(repeating: "a%2F", count: 500) + "a.jpg", 404),
        (String(repeating: "..%2F", count: 800), 404), (String(repeating: "a", count: 4096), 414),
        // Encoded badly.
        ("%", 400), ("%2", 400), ("a%zz.jpg", 400), ("%%32%65", 400), ("a b.jpg", 400),
    ]

    @Test("Paths outside, other files and malformed paths are refused", arguments: [false, true])
    func refused(goesByStep: Bool) throws {
        let folders = try PictureFolders([tree.served], goesByStep: goesByStep)
        for (segment, status) in Self.refused {
            #expect(
                failureStatus { () throws(RequestFailure) in try content(segment, folders) } == status, "\(segment)")
        }
        #expect(Self.refused.count >= 60)
    }

    @Test("Refusals reveal nothing about the files")
    func messages() throws {
        let folders = try PictureFolders([tree.served])
        var messages: Set<String> = []
        for (segment, status) in Self.refused where status == 404 && segment != "two" {
            do {
                _ = try content(segment, folders)
            } catch {
                messages.insert(error.message)
            }
        }
        #expect(messages == ["there is no such image"])
    }
}
