#if HTTP
import Foundation
import ImageFormats
import ImageLoading
import Raster
import Testing

/// What is in a bucket stays, and what isn't finished doesn't.
@Suite("S3: writing")
struct S3WritingTests {
    @Test(
        "An object isn't replaced unless that is asked for, even where the store can't check it", arguments: [412, 501])
    func writing(status: Int) async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg") { request in
                switch (request.method, request.headers["If-None-Match"]) {
                case ("PUT", "*"): S3Fixture.error("Refused", status)
                case ("PUT", _): .status(200, headers: ["ETag": "\"1\""])
                default: S3Fixture.object(request)
                }
            }
            let store = S3Fixture.store(server)
            let address = try S3Address("s3://photos/a.jpg")
            let error = await #expect(throws: ImageError.self) {
                try await store.put([1], to: address, overwrites: false)
            }
            #expect(error?.message == "s3://photos/a.jpg can't be written: it exists already")
            // What the store can't do it isn't asked for twice, nor is an object looked up that may be replaced at first.
            let late = await #expect(throws: ImageError.self) {
                try await S3Fixture.waiting { () throws(ImageError) in
                    let writer = try S3Writer(store, address, overwrites: true)
                    writer.overwrites = false
                    try writer.write([1].span.bytes)
                    try writer.commit()
                }
            }
            #expect(late == error)
            // A busy machine repeats requests.
            let methods = server.requests.map(\.method)
            let turns = methods.indices.filter { $0 == 0 || methods[$0] != methods[$0 - 1] }.map { methods[$0] }
            #expect(turns == (status == 501 ? ["PUT", "HEAD"] : ["PUT"]))
            try await store.put([1], to: address)
            #expect(store.checksForObjects == (status == 501 ? false : nil))
        }
    }

    @Test("A store that has written an object because there was none is known to check that")
    func checking() async throws {
        try await withServer { server in
            server.respond("/photos/a.jpg", .status(200, headers: ["ETag": "\"1\""]))
            let store = S3Fixture.store(server)
            #expect(store.checksForObjects == nil)
            try await store.put([1], to: S3Address("s3://photos/a.jpg"), overwrites: false)
            #expect(store.checksForObjects == true)
        }
    }

    @Test("A written object has the version that a list shows, and none where the store doesn't say it")
    func version() async throws {
        try await withServer { server in
            let list =
                "<ListBucketResult><Contents><Key>a.jpg</Key><Size>3</Size><ETag>&quot;1&quot;</ETag></Contents></ListBucketResult>"
            server.respond("/photos/?list-type=2", .bytes(Array(list.utf8), type: "application/xml"))
            server.respond("/photos/a.jpg", .status(200, headers: ["ETag": "\"1\""]))
            server.respond("/photos/b.jpg", .status(200))
            let store = S3Fixture.store(server)
            func version(of name: String) async throws -> String? {
                try await S3Fixture.waiting { () throws(ImageError) in
                    let writer = try S3Writer(store, S3Address("s3://photos/\(name)"), overwrites: true)
                    try writer.write(([1, 2, 3] as [UInt8]).span.bytes)
                    #expect(writer.version == nil)
                    try writer.commit()
                    return writer.version
                }
            }
            let listed = try await store.list(S3Address("s3://photos"), isRecursive: true).objects.map(\.version)
            let written = try await version(of: "a.jpg")
            #expect([written] == listed)
            #expect(try await version(of: "b.jpg") == nil)
        }
    }

    @Test("An upload in parts that fails is given up, so that the store keeps none")
    func abandonedUpload() async throws {
        try await withServer { server in
            let text = "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"
            server.respond("/photos/a.tif?uploads=", .bytes(Array(text.utf8), type: "application/xml"))
            server.respond("/photos/a.tif?partNumber=1&uploadId=u1", S3Fixture.error("AccessDenied", 403))
            server.respond("/photos/a.tif?uploadId=u1", .status(204))
            let store = S3Fixture.store(server)
            let failure = await #expect(throws: ImageError.self) {
                try await S3Fixture.waiting { () throws(ImageError) in
                    let writer = try S3Writer(store, S3Address("s3://photos/a.tif"), overwrites: true)
                    let piece = [UInt8](repeating: 7, count: 1 << 20)
                    for _ in 0..<65 { try writer.write(piece) }
                    try writer.commit()
                }
            }
            #expect(failure?.message.contains("AccessDenied") == true)
            #expect(server.requests.map(\.method) == ["POST", "PUT", "DELETE"])
        }
    }
}
#endif
