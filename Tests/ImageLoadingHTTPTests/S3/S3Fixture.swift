#if HTTP
import Foundation
import ImageFormats
import ImageLoading
import Raster

/// A client of a server that stands for a store, and what such a server answers.
enum S3Fixture {
    static func store(
        _ server: TestServer,
        _ credentials: S3Credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "secret")
    ) -> S3Store {
        var configuration = S3Configuration(endpoint: server.url(""), credentials: credentials)
        configuration.longestDelay = .milliseconds(5)
        configuration.attemptCount = 4
        return S3Store(configuration)
    }

    static func error(_ code: String, _ status: Int, _ more: String = "", headers: HTTPHeaders = [:])
        -> TestReply
    {
        let text = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>No &amp; no</Message>\(more)</Error>"
        return .bytes(Array(text.utf8), type: "application/xml", status: status, headers: headers)
    }

    /// Runs work that waits for the server on another thread than those that the server needs.
    static func waiting<R: Sendable>(_ work: @Sendable () throws(ImageError) -> R) async throws(ImageError) -> R {
        try await executor.run(work)
    }

    private static let executor = ImageExecutor(width: 4)

    static let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// Answers ranges of `content` as a store does: one at a time, or several.
    static func object(_ request: TestRequest, severalRanges: Bool = true, tag: String = "\"1\"") -> TestReply {
        var headers: HTTPHeaders = ["ETag": tag, "Last-Modified": "Fri, 24 May 2013 00:00:00 GMT"]
        guard let field = request.headers["Range"] else { return .bytes(content, headers: headers) }
        let ranges = field.dropFirst(6).split(separator: ",").map { text -> ClosedRange<Int> in
            let ends = text.split(separator: "-").compactMap { Int($0) }
            return ends[0]...min(ends[1], content.count - 1)
        }
        guard ranges.count > 1 else {
            headers["Content-Range"] = "bytes \(ranges[0].lowerBound)-\(ranges[0].upperBound)/\(content.count)"
            return .bytes(Array(content[ranges[0]]), status: 206, headers: headers)
        }
        guard severalRanges else { return .bytes(content, headers: headers) }
        var body: [UInt8] = []
        for range in ranges {
            body += Array(
                "\r\n--limit\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(content.count)\r\n\r\n"
                    .utf8)
            body += content[range]
        }
        body += Array("\r\n--limit--\r\n".utf8)
        return .bytes(body, type: "multipart/byteranges; boundary=limit", status: 206, headers: headers)
    }
}
#endif
