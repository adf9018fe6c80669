#if HTTP
import Foundation
import ImageLoading
import Raster
import TestSupport
import Testing

@Suite("S3: addresses, documents and plans")
struct S3PartsTests {
    @Test(
        "Addresses are a bucket and a key as it is",
        arguments: [
            ("s3://photos/a.jpg", "photos", "a.jpg"), ("S3://photos", "photos", ""), ("s3://photos/", "photos", ""),
            ("s3://my.bucket/a//b c%20.jpg", "my.bucket", "a//b c%20.jpg"), ("s3://photos/é/", "photos", "é/"),
        ])
    func addresses(text: String, bucket: String, key: String) throws {
        let address = try S3Address(text)
        #expect(address.bucket == bucket)
        #expect(address.key == key)
    }

    @Test(
        "Text that is no address is refused",
        arguments: [
            "", "s3://", "s3:///a", "photo.jpg", "http://photos/a", "s3://pho tos/a", "s3://a@b/c", "s3://..%2f/a",
            "s3://.a/b",
        ])
    func noAddresses(text: String) {
        #expect(throws: ImageError.self) { try S3Address(text) }
        #expect(throws: ImageError.self) { try S3Address("s3://photos/" + String(repeating: "a", count: 1025)) }
    }

    @Test("A URL's key is percent-decoded")
    func urls() throws {
        let url = try #require(URL(string: "s3://photos/a%20b%2Bc+d.jpg"))
        #expect(try S3Address(url).key == "a b+c+d.jpg")
    }

    @Test("Documents of stores are read, with entities, prefixes and comments")
    func documents() throws {
        let text =
            "<?xml version='1.0'?>\n<!-- <a> --><s:A xmlns:s='x'><B c='d'>1 &lt; 2 &#x1F600;</B><E/><B><![CDATA[<&>]]></B></s:A>\n"
        let root = try #require(XMLElement(Array(text.utf8)))
        #expect(root.name == "A")
        #expect(root.all("B").map(\.text) == ["1 < 2 \u{1F600}", "<&>"])
        #expect(root["E"] == "")
    }

    @Test(
        "Documents that aren't well-formed, define entities, or nest without end are refused",
        arguments: [
            "", "text", "<a>", "<a></b>", "<a></a><b></b>", "<a>&x;</a>", "<a>&</a>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
            "</a>", "<a", "<>", "< a></ a>", "<a>&#xD800;</a>",
            String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
        ])
    func noDocuments(text: String) {
        #expect(XMLElement(Array(text.utf8)) == nil)
    }

    @Test("Near ranges are one; far ones are joined as long as at most four times the bytes are read")
    func plans() {
        let plan = S3RangePlan([0..<100, 150..<250, 10_000..<10_100, 20_000..<20_100])
        #expect(plan.ranges == [0..<250, 10_000..<10_100, 20_000..<20_100])
        #expect(plan.merged == plan.ranges)
        let rows = (0..<16).map { $0 * 1000..<($0 * 1000 + 400) }
        let merged = S3RangePlan(rows).merged
        #expect(merged.count <= 16)
        #expect(merged.reduce(0) { $0 + $1.count } <= 4 * 16 * 400)
        for row in rows { #expect(merged.contains { $0.contains(row.lowerBound) && $0.contains(row.upperBound - 1) }) }
    }

    @Test("An answer of several parts is taken apart, and one that ends early isn't")
    func parts() throws {
        #expect(MultipartRanges.boundary(in: "multipart/byteranges; boundary=\"a b\"") == "a b")
        #expect(MultipartRanges.boundary(in: "multipart/byteranges;boundary=x") == "x")
        #expect(MultipartRanges.boundary(in: "image/jpeg") == nil)
        let body = Array(
            "--x\r\nContent-Type: a\r\nContent-Range: bytes 0-2/9\r\n\r\nabc\r\n--x\r\ncontent-range: bytes 7-8/9\r\n\r\nhi\r\n--x--\r\n"
                .utf8)
        let parts = try #require(MultipartRanges.parts(of: body, boundary: "x"))
        #expect(parts.map(\.range.first) == [0, 7])
        #expect(parts.map { String(decoding: $0.bytes, as: UTF8.self) } == ["abc", "hi"])
        for count in 0..<(body.count - 4) {
            #expect(MultipartRanges.parts(of: Array(body.prefix(count)), boundary: "x") == nil)
        }
    }

    @Test("Profiles come from AWS's shared files, that of the environment or the default one")
    func profiles() throws {
        let folder = try TemporaryFolder()
        try Data(
            "[default]\naws_access_key_id = A\naws_secret_access_key=B\n[other]\naws_access_key_id=C\naws_secret_access_key=D\naws_session_token = E=\n"
                .utf8
        )
        .write(to: URL(filePath: folder.path + "/credentials"))
        try Data(
            "# c\n[default]\nregion = r1\n[profile other]\nregion = r2\ns3 =\n  addressing_style = virtual\nendpoint_url = http://x.example\n"
                .utf8
        )
        .write(to: URL(filePath: folder.path + "/config"))
        var environment = [
            "AWS_SHARED_CREDENTIALS_FILE": folder.path + "/credentials", "AWS_CONFIG_FILE": folder.path + "/config",
        ]
        #expect(
            AWSProfile(environment: environment).credentials == S3Credentials(accessKeyID: "A", secretAccessKey: "B"))
        #expect(S3Configuration(environment: environment).region == "r1")
        environment["AWS_PROFILE"] = "other"
        #expect(
            AWSProfile(environment: environment).credentials
                == S3Credentials(accessKeyID: "C", secretAccessKey: "D", sessionToken: "E="))
        let configuration = S3Configuration(environment: environment)
        #expect(configuration.region == "r2")
        #expect(configuration.endpoint?.absoluteString == "http://x.example")
        #expect(configuration.usesPathStyle == false)
    }
}
#endif
