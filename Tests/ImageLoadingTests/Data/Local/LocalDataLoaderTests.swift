import ImageLoading
import ImageLoadingTestSupport
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Loading files and data: URLs")
struct LocalDataLoaderTests {
    private let loader = LocalDataLoader()

    @Test("Files are read in chunks", arguments: [0, 1, 1 << 18, 700_001])
    func readsFilesInPieces(count: Int) async throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let path = try folder.write(bytes, to: "a b%20ü.bin")
        let download = try await loader.load(DataRequest(url: URL(filePath: path)))
        #expect(download.response.statusCode == 200 && download.response.expectedByteCount == count)
        var pieces: [Data] = []
        for try await piece in download.body { pieces.append(piece) }
        #expect(pieces.flatMap { [UInt8]($0) } == bytes)
        #expect(pieces.allSatisfy { $0.count <= 1 << 18 && !$0.isEmpty })
    }

    @Test("An unreadable file is an error that names it")
    func saysWhatCannotBeRead() async throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "file")
        for (name, reason) in [("missing", "No such file"), ("", "folder"), ("file/below", "Not a directory")] {
            let error = await #expect(throws: DataLoadingError.self) {
                try await loader.load(DataRequest(url: URL(filePath: folder.file(name))))
            }
            guard case .unreadable(let message) = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(message.contains(folder.path) && message.contains(reason), "\(message)")
        }
    }

    @Test(
        "Other URL schemes are left to other loaders",
        arguments: ["http://a.example/b", "ftp://a/b", "file://elsewhere/b"])
    func leavesTheRestToOthers(url: String) async {
        let error = await #expect(throws: DataLoadingError.self) {
            try await loader.load(DataRequest(url: try #require(URL(string: url))))
        }
        #expect(error?.description == "there is no loader for \(url)")
    }

    @Test(
        "A path given as a URL is distinguished from an unsupported scheme", arguments: ["/a/b.png", "b", "a/b:c"])
    func pathsAreNoURLs(path: String) async {
        let error = await #expect(throws: DataLoadingError.self) {
            try await loader.load(DataRequest(url: try #require(URL(string: path))))
        }
        #expect(
            error?.description
                == "there is no loader for \(path): it has no scheme. The URL of a file is URL(filePath:)")
    }

    @Test("A file beyond the limit is refused before it is read")
    func limitsFilesBeforeReading() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](repeating: 0, count: 11), to: "a")
        for (limit, fits) in [(11, true), (10, false)] {
            let fetcher = DataFetcher(loader: loader, configuration: DataFetching(maximumByteCount: limit))
            var events: [String] = []
            let result: Result<Void, any Error>
            do {
                result = .success(
                    try await fetcher.fetch(DataRequest(url: URL(filePath: path))) { event in
                        if case .data(let data) = event { events.append("+\(data.count)") }
                    })
            } catch { result = .failure(error) }
            #expect(events == (fits ? ["+11"] : []))
            #expect(throws: Never.self) { if fits { try result.get() } }
            var isTooLarge = false
            if case .failure(let error) = result, case .tooLarge? = error as? DataLoadingError { isTooLarge = true }
            #expect(isTooLarge == !fits)
        }
    }

    @Test(
        "data: URLs are decoded",
        arguments: [
            ("data:,", "text/plain;charset=US-ASCII", ""),
            ("data:,A%20brief%2Cnote", "text/plain;charset=US-ASCII", "A brief,note"),
            ("data:text/html,%41b#fragment", "text/html", "Ab"),
            ("data:;charset=utf-8,a", "text/plain;charset=utf-8", "a"),
            ("DATA:image/png;BASE64,aGFsbG8=", "image/png", "hallo"),
            ("data:;base64,aGFsbA==", "text/plain;charset=US-ASCII", "hall"),
            ("data:;base64,aGFsbA", "text/plain;charset=US-ASCII", "hall"), ("data:a/b;base64,aGFs", "a/b", "hal"),
            ("data:a/b;base64,aG%46s%0A%20aGFs", "a/b", "halhal"), ("data:a/b;base64,", "a/b", ""),
            ("data:image/svg+xml;utf8,<svg/>", "image/svg+xml;utf8", "<svg/>"),
            ("data:a/b;base64,%2B/8%3D", "a/b", "\u{FB}\u{FF}"),
        ])
    func readsDataURLs(url: String, type: String, text: String) async throws {
        let download = try await loader.load(DataRequest(url: try #require(URL(string: url))))
        var bytes: [UInt8] = []
        for try await piece in download.body { bytes += piece }
        #expect(bytes == text.unicodeScalars.map { UInt8($0.value) })
        #expect(download.response.headers["Content-Type"] == type)
        #expect(download.response.expectedByteCount == bytes.count)
    }

    @Test(
        "Malformed data: URLs are refused",
        arguments: [
            "data:", "data:image/png;base64", "data:a/b;base64,a", "data:a/b;base64,aGFsb=", "data:a/b;base64,aG=Fs",
            "data:a/b;base64,aGFs====", "data:a/b;base64,aGF-", "data:a/b;base64,=", "data:a/b;base64,a===",
        ])
    func refusesDataURLsThatBreakTheRules(url: String) async throws {
        let error = await #expect(throws: DataLoadingError.self) {
            try await loader.load(DataRequest(url: try #require(URL(string: url))))
        }
        guard case .invalidDataURL = error else {
            Issue.record("\(url): \(String(describing: error))")
            return
        }
    }
}
