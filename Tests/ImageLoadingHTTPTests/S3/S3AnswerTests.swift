#if HTTP
import Foundation
import ImageFormats
import ImageLoading
import Raster
import Synchronization
import Testing

/// What a store does wrong, and what becomes of it. A store that does everything right is in `Scripts/test-s3`.
@Suite("S3: odd answers")
struct S3AnswerTests {
    @Test(
        "Refusals that pass are tried again",
        arguments: [("SlowDown", 503), ("InternalError", 500), ("RequestTimeout", 400)])
    func throttling(code: String, status: Int) async throws {
        try await withServer { server in
            let count = Atomic(0)
            server.respond("/photos/a.jpg") { request in
                count.add(1, ordering: .relaxed).newValue < 4
                    ? S3Fixture.error(code, status) : S3Fixture.object(request)
            }
            let store = S3Fixture.store(server)
            let source = try await store.source(S3Address("s3://photos/a.jpg"))
            #expect(source.byteCount == S3Fixture.content.count)
            #expect(store.requests.retryCount == 3)
        }
    }

    @Test("A store that goes on refusing is named with its code, and isn't asked for ever")
    func refusing() async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg", S3Fixture.error("SlowDown", 503))
            let error = await #expect(throws: ImageError.self) {
                try await S3Fixture.store(server).source(S3Address("s3://photos/a.jpg"))
            }
            #expect(error?.message == "reading s3://photos/a.jpg failed: No & no (SlowDown, 503 (service unavailable))")
            #expect(server.requests.count == 4)
        }
    }

    @Test(
        "Refusals that don't pass are reported at once",
        arguments: [("AccessDenied", 403), ("NoSuchKey", 404), ("NoSuchBucket", 404)])
    func denied(code: String, status: Int) async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg", S3Fixture.error(code, status))
            let error = await #expect(throws: ImageError.self) {
                try await S3Fixture.store(server).source(S3Address("s3://photos/a.jpg"))
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.message.contains(code) == true)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A clock that differs from the store's is corrected once, and stays corrected")
    func skew() async throws {
        try await withServer { server in
            let stamps = Mutex<[String]>([])
            server.respond("/photos/a.jpg") { request in
                stamps.withLock { $0.append(request.headers["x-amz-date"] ?? "") }
                guard request.headers["x-amz-date"]?.hasPrefix("20010203T0405") == true else {
                    return S3Fixture.error("RequestTimeTooSkewed", 403, "<ServerTime>2001-02-03T04:05:06Z</ServerTime>")
                }
                return S3Fixture.object(request)
            }
            let store = S3Fixture.store(server)
            _ = try await store.source(S3Address("s3://photos/a.jpg"))
            _ = try await store.source(S3Address("s3://photos/a.jpg"))
            #expect(stamps.withLock { $0.count } == 3)
        }
    }

    @Test("Expired credentials are replaced once by those of the container's endpoint")
    func expired() async throws {
        try await withServer { server in
            let count = Atomic(0)
            server.respond("/credentials") { _ in
                let number = count.add(1, ordering: .relaxed).newValue
                let text = """
                    {"AccessKeyId": "KEY\(number)", "SecretAccessKey": "s", "Token": "token\(number)", "Expiration": "2099-01-01T00:00:00Z"}
                    """
                return .bytes(Array(text.utf8), type: "application/json")
            }
            server.respond("/photos/a.jpg") { request in
                request.headers["x-amz-security-token"] == "token1"
                    ? S3Fixture.error("ExpiredToken", 400) : S3Fixture.object(request)
            }
            var configuration = S3Configuration(environment: [
                "AWS_ENDPOINT_URL": server.url("").absoluteString, "AWS_CONFIG_FILE": "/dev/null",
                "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url("/credentials").absoluteString,
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": "pass",
            ])
            configuration.longestDelay = .milliseconds(5)
            let store = S3Store(configuration)
            _ = try await store.source(S3Address("s3://photos/a.jpg"))
            _ = try await store.source(S3Address("s3://photos/a.jpg"))
            #expect(server.requests("/credentials").map { $0.headers["Authorization"] } == ["pass", "pass"])
            #expect(server.requests("/photos/a.jpg").count == 3)
            #expect(
                server.requests("/photos/a.jpg").last?.headers["Authorization"]?.contains("Credential=KEY2/") == true)
        }
    }

    @Test("Credentials of a machine's metadata service are requested with its token (IMDSv2)")
    func machine() async throws {
        try await withServer { server in
            server.respond("/latest/api/token", .bytes(Array("T".utf8)))
            server.respond("/latest/meta-data/iam/security-credentials/", .bytes(Array("role\n".utf8)))
            server.respond(
                "/latest/meta-data/iam/security-credentials/role",
                .bytes(
                    Array(
                        #"{"Code": "Success", "AccessKeyId": "K", "SecretAccessKey": "s", "Token": "t", "Expiration": "2099-01-01T00:00:00Z"}"#
                            .utf8)))
            server.respond("/photos/a.jpg") { S3Fixture.object($0) }
            let configuration = S3Configuration(environment: [
                "AWS_ENDPOINT_URL_S3": server.url("").absoluteString, "AWS_CONFIG_FILE": "/dev/null",
                "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
                "AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url("").absoluteString,
                // A busy machine takes more than the usual second.
                "AWS_METADATA_SERVICE_TIMEOUT": "60",
            ])
            _ = try await S3Store(configuration).source(S3Address("s3://photos/a.jpg"))
            #expect(server.requests("/latest/api/token").first?.method == "PUT")
            #expect(
                server.requests("/latest/meta-data/iam/security-credentials/role").first?.headers[
                    "X-aws-ec2-metadata-token"] == "T")
            #expect(server.requests("/photos/a.jpg").first?.headers["x-amz-security-token"] == "t")
        }
    }

    @Test("Credentials aren't requested from an unencrypted endpoint elsewhere")
    func foreignEndpoint() async throws {
        let configuration = S3Configuration(environment: [
            "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/credentials",
        ])
        let error = await #expect(throws: ImageError.self) {
            try await S3Store(configuration).source(S3Address("s3://photos/a.jpg"))
        }
        #expect(error?.message.contains("https") == true)
    }

    @Test("An answer that ends early is requested again; one that always does is an error")
    func truncated() async throws {
        try await withServer { server in
            let count = Atomic(0)
            server.respond("/photos/a.jpg") { request in
                guard count.add(1, ordering: .relaxed).newValue == 2 else { return S3Fixture.object(request) }
                let whole = S3Fixture.object(request)
                var cut = TestReply.cut(
                    [UInt8](repeating: 1, count: whole.announcedByteCount ?? 0), after: 100, headers: whole.headers)
                cut.status = 206
                return cut
            }
            let source = try await S3Fixture.store(server).source(S3Address("s3://photos/a.jpg"))
            let bytes = try await S3Fixture.waiting { () throws(ImageError) in try source.bytes(5000, at: 50_000) }
            #expect(bytes == Array(S3Fixture.content[50_000..<55_000]))
            server.respond("/photos/b.jpg") { request in
                let whole = S3Fixture.object(request)
                var cut = TestReply.cut(
                    [UInt8](repeating: 1, count: whole.announcedByteCount ?? 0), after: 100, headers: whole.headers)
                cut.status = 206
                return cut
            }
            await #expect(throws: ImageError.self) {
                try await S3Fixture.store(server).source(S3Address("s3://photos/b.jpg"))
            }
        }
    }

    @Test("An answer with other bytes than the requested ones isn't used")
    func otherRange() async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg") { request in
                guard request.headers["Range"]?.hasPrefix("bytes=0-") == false else { return S3Fixture.object(request) }
                return .bytes(
                    Array(S3Fixture.content[0..<5000]), status: 206,
                    headers: ["Content-Range": "bytes 0-4999/100000", "ETag": "\"1\""])
            }
            let source = try await S3Fixture.store(server).source(S3Address("s3://photos/a.jpg"))
            await #expect(throws: ImageError.self) {
                try await S3Fixture.waiting { () throws(ImageError) in try source.bytes(5000, at: 50_000) }
            }
        }
    }

    @Test("An object that is replaced while it is read isn't mixed with its successor")
    func replaced() async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg") { request in
                request.headers["If-Match"] == nil
                    ? S3Fixture.object(request) : S3Fixture.error("PreconditionFailed", 412)
            }
            let source = try await S3Fixture.store(server).source(S3Address("s3://photos/a.jpg"))
            let error = await #expect(throws: ImageError.self) {
                try await S3Fixture.waiting { () throws(ImageError) in try source.bytes(10, at: 60_000) }
            }
            #expect(error?.message == "s3://photos/a.jpg was replaced while it was read")
        }
    }

    @Test("A store without byte ranges is refused, and its whole object not received")
    func noRanges() async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg", .bytes(S3Fixture.content))
            let error = await #expect(throws: ImageError.self) {
                try await S3Fixture.store(server).source(S3Address("s3://photos/a.jpg"))
            }
            #expect(error?.message.contains("byte ranges") == true)
            // A small object comes whole, and that is all of it.
            server.respond("/photos/small", .bytes([1, 2, 3]))
            let small = try await S3Fixture.store(server).source(S3Address("s3://photos/small"))
            let bytes = try await S3Fixture.waiting { () throws(ImageError) in try small.bytes() }
            #expect(bytes == [1, 2, 3])
        }
    }

    @Test(
        "Several ranges are one request where the store answers that, otherwise some at a time",
        arguments: [true, false])
    func ranges(severalRanges: Bool) async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg") { S3Fixture.object($0, severalRanges: severalRanges) }
            let store = S3Fixture.store(server)
            let source = try await store.source(S3Address("s3://photos/a.jpg"))
            let ranges = [20_000..<20_010, 40_000..<40_020, 60_000..<60_030, 99_990..<100_000, 80_000..<80_001]
            for _ in 0..<2 {
                try await S3Fixture.waiting { () throws(ImageError) in
                    try source.withBytes(in: ranges) { (span, offsets) throws(ImageError) in
                        for (range, offset) in zip(ranges, offsets) {
                            for index in range
                            where span.unsafeLoad(fromByteOffset: index - offset, as: UInt8.self)
                                != S3Fixture.content[index]
                            {
                                throw ImageError(.corrupt, "byte \(index) is wrong")
                            }
                        }
                    }
                }
            }
            // Opening; then twice one request, or one that isn't answered and twice five.
            #expect(server.requests.count == (severalRanges ? 3 : 12))
        }
    }

    @Test("Reading in sequence takes few requests, each with more bytes than the last")
    func sequence() async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg") { S3Fixture.object($0) }
            let store = S3Fixture.store(server)
            let source = try await store.source(S3Address("s3://photos/a.jpg"))
            let bytes = try await S3Fixture.waiting { () throws(ImageError) in try source.bytes() }
            #expect(bytes == S3Fixture.content)
            #expect(server.requests.count == 2)
        }
    }

    @Test("A bucket in another region is followed there, once")
    func region() async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg") { request in
                request.headers["Authorization"]?.contains("/eu-north-1/s3/") == true
                    ? S3Fixture.object(request)
                    : S3Fixture.error("AuthorizationHeaderMalformed", 400, "<Region>eu-north-1</Region>")
            }
            let store = S3Fixture.store(server)
            _ = try await store.source(S3Address("s3://photos/a.jpg"))
            _ = try await store.source(S3Address("s3://photos/a.jpg"))
            #expect(server.requests.count == 3)
        }
    }

    @Test("Lists go on page by page, and one that continues with itself ends with an error")
    func pages() async throws {
        try await withServer { server in
            func page(_ keys: [String], next: String?) -> TestReply {
                let entries = keys.map {
                    "<Contents><Key>\($0)</Key><LastModified>2013-05-24T00:00:00.000Z</LastModified><ETag>&quot;1&quot;</ETag><Size>3</Size></Contents>"
                }.joined()
                let more = next.map {
                    "<IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken>"
                }
                let text =
                    "<ListBucketResult xmlns=\"x\">\(more ?? "")\(entries)<CommonPrefixes><Prefix>p/\(keys.count)/</Prefix></CommonPrefixes></ListBucketResult>"
                return .bytes(Array(text.utf8), type: "application/xml")
            }
            server.respond(
                "/photos/?delimiter=%2F&list-type=2&prefix=p%2F", page(["p/a&amp;b.jpg", "p/&#xE4;.jpg"], next: "x=/"))
            server.respond(
                "/photos/?continuation-token=x%3D%2F&delimiter=%2F&list-type=2&prefix=p%2F",
                page(["p/c.jpg"], next: nil))
            let listing = try await S3Fixture.store(server).list(S3Address("s3://photos/p/"))
            #expect(listing.objects.map(\.address.key) == ["p/a&b.jpg", "p/ä.jpg", "p/c.jpg"])
            #expect(listing.objects.map(\.modificationTime) == [1_369_353_600, 1_369_353_600, 1_369_353_600])
            #expect(listing.prefixes.map(\.key) == ["p/2/", "p/1/"])
            server.respond("/loop/?delimiter=%2F&list-type=2", page(["a"], next: "t"))
            server.respond("/loop/?continuation-token=t&delimiter=%2F&list-type=2", page(["a"], next: "t"))
            await #expect(throws: ImageError.self) { try await S3Fixture.store(server).list(S3Address("s3://loop/")) }
        }
    }

    @Test("A pipeline loads an object, checks its checksum, and keeps it by its entity tag")
    func loading() async throws {
        try await withServer { server in
            let bytes = Array("hello".utf8)
            server.respond(
                "/photos/a%20b.txt", .bytes(bytes, headers: ["ETag": "\"5d41402abc4b2a76b9719d911017c592\""]))
            let store = S3Fixture.store(server)
            let url = try #require(URL(string: "s3://photos/a%20b.txt"))
            let download = try await store.load(
                DataRequest(url: url, headers: ["If-None-Match": "\"0\"", "Cookie": "c"]))
            var loaded: [UInt8] = []
            for try await piece in download.body { loaded += piece }
            #expect(loaded == bytes)
            #expect(server.requests.last?.headers["If-None-Match"] == "\"0\"")
            #expect(server.requests.last?.headers["Cookie"] == nil)
            server.respond(
                "/photos/a%20b.txt",
                .bytes(Array("hallo".utf8), headers: ["ETag": "\"5d41402abc4b2a76b9719d911017c592\""]))
            let other = try await store.load(DataRequest(url: url))
            await #expect(throws: S3Failure.self) { for try await _ in other.body {} }
        }
    }
}
#endif
