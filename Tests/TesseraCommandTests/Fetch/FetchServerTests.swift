import Foundation
import Tessera
import TestSupport
import Testing

/// Pictures fetched from a server.
@Suite("tessera fetch: servers", .needs(.python))
struct FetchServerTests {
    private let folder: TemporaryFolder
    private let server: PictureServer
    private let photograph: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        server = try PictureServer(TemporaryFolder())
        photograph = try Pictures.photograph(PixelSize(width: 300, height: 200)).file(
            .jpeg, EncodingOptions(jpeg: EncodingOptions.JPEG(isProgressive: true)))
        try server.folder.write(photograph, to: "photo.jpg")
        for name in ["a.png", "b.png", "c.png"] { try server.folder.write(Pictures.cutout().file(.png), to: name) }
    }

    private func fetch(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(["fetch", "--out", "out"] + arguments, in: folder)
    }

    /// The words in the table's column called `heading`.
    private func column(_ heading: String, _ outcome: Command.Outcome) -> [String] {
        // Sizes of bytes are two words.
        let rows = outcome.text.split(separator: "\n").map { line in
            line.replacing(/(\d) (bytes|[KMG]B|m?s)\b/) { "\($0.1)\($0.2)" }.split(separator: " ").map(String.init)
        }
        guard let index = rows.first?.firstIndex(of: heading) else { return [] }
        return rows.dropFirst().map { $0[index] }
    }

    @Test("Several URLs are fetched")
    func fetchesSeveral() throws {
        let outcome = try fetch(
            "\(server.address)/a.png", "\(server.address)/photo.jpg?size=large#top", "\(server.address)/b.png",
            "--jobs", "2")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.names(in: "out") == ["a.png", "b.png", "photo.jpg"])
        #expect(try folder.read("out/photo.jpg") == photograph)
        #expect(column("picture", outcome) == ["out/a.png", "out/photo.jpg", "out/b.png"])
        #expect(column("size", outcome) == ["48x32", "300x200", "48x32"])
        #expect(column("source", outcome) == ["network", "network", "network"])
        #expect(!column("loading", outcome).contains("-"))
    }

    @Test("A URL given twice is loaded once")
    func loadsOnceWhatIsAskedForTwice() throws {
        let url = "\(server.address)/a.png"
        let outcome = try fetch(url, url, url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.names(in: "out") == ["a-2.png", "a-3.png", "a.png"])
        #expect(try Set(folder.names(in: "out").map { try folder.read("out/\($0)") }).count == 1)
        #expect(try server.requests().count == 1)
        #expect(column("source", outcome).filter { $0 == "network" }.count == 1)
    }

    @Test("A failed URL doesn't stop the others")
    func goesOnAfterFailures() throws {
        let outcome = try fetch(
            "\(server.address)/a.png", "\(server.address)/missing.png", "nowhere.png", "ftp://127.0.0.1/x.png",
            "http://127.0.0.1:1/x.png", "\(server.address)/b.png", "--retries", "0")
        #expect(outcome.status == 1)
        #expect(try folder.names(in: "out") == ["a.png", "b.png"])
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 5, "\(outcome.errors)")
        #expect(lines.contains("Error: \(server.address)/missing.png: the server answered 404 (not found)"))
        #expect(lines.contains("Error: \(folder.file("nowhere.png")) can't be read: No such file or directory"))
        #expect(lines.contains { $0.hasPrefix("Error: ftp://127.0.0.1/x.png: ") })
        #expect(lines.contains { $0.hasPrefix("Error: http://127.0.0.1:1/x.png: ") })
        #expect(
            lines.last?.hasPrefix("2 of 6 pictures fetched, ") == true && lines.last?.hasSuffix("; 4 failed") == true)
    }

    @Test("Previews are written as they arrive")
    func writesPreviewsAsTheyCome() throws {
        // Up to and with the beginning of the third and the sixth scan.
        let scans = photograph.indices.dropLast().filter { photograph[$0] == 0xFF && photograph[$0 + 1] == 0xDA }
        try #require(scans.count > 5)
        let until = folder.file("out/photo.preview-%25d.png")
        // The server goes on when the preview is there: no preview, no picture before the test's time is over.
        let url = "\(server.address)/held/photo.jpg?cuts=\(scans[2] + 2),\(scans[5] + 2)&until=\(until)"
        let outcome = try fetch(url, "--previews")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try folder.names(in: "out")
        #expect(names.starts(with: ["photo.jpg", "photo.preview-1.png", "photo.preview-2.png"]), "\(names)")
        #expect(try folder.read("out/photo.jpg") == photograph)
        let final = try ImageSource.decode(photograph).bitmap
        let differences = try (1...2).map { number in
            try ImageSource.decode(folder.read("out/photo.preview-\(number).png")).bitmap.meanDifference(from: final)
        }
        #expect(differences[0] > differences[1] && differences[1] > 0)
    }

    @Test("Header fields are sent")
    func sendsFields() throws {
        let outcome = try fetch("\(server.address)/a.png", "--header", "X-Test:  a word ", "--header", "Accept: */*")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try server.requests() == ["/a.png a word"])
    }

    @Test("Loaded data is cached")
    func keepsWhatItLoads() throws {
        let url = "\(server.address)/photo.jpg"
        // What has just changed is fresh for no time.
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now + 86400], ofItemAtPath: server.folder.file("photo.jpg"))
        func source(_ arguments: String...) throws -> [String] {
            column(
                "source", try Command.run(["fetch", url, "-d", "out", "-f", "--cache", "kept"] + arguments, in: folder))
        }
        #expect(try source() == ["network"])
        #expect(try source() == ["disk"])
        #expect(try source("--size", "50") == ["disk"])
        #expect(try server.requests().count == 1)
        // The server is asked, and says that nothing has changed.
        #expect(try source("--cache-policy", "revalidate") == ["revalidated"])
        #expect(try server.requests().count == 2)
        #expect(try source("--cache-policy", "stale") == ["disk"])
        #expect(try source("--cache-policy", "reload") == ["network"])
        #expect(try ImageSource.header(of: folder.read("out/photo.jpg")).size == PixelSize(width: 300, height: 200))
    }
}
