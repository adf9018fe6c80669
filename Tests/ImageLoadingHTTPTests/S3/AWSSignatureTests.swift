#if HTTP
import ImageLoading
import Testing

@Suite("AWS Signature Version 4")
struct AWSSignatureTests {
    /// A request with the signature that Amazon publishes for it.
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        var method = "GET"
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        /// The hash of the canonical request, in the string to sign.
        let canonicalHash: String
        let signedHeaders: String
        let signature: String

        var testDescription: String { name }
    }

    /// Of the aws4_testsuite, as far as S3 follows it: other services normalize paths.
    static let suite: [Vector] = [
        Vector(
            name: "get-vanilla", canonicalHash: "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
            signedHeaders: "host;x-amz-date",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
            canonicalHash: "816cd5b414d056048ba4f7c5386d6e0533120fb1fcfa93762cf0fc39e2cf19e0",
            signedHeaders: "host;x-amz-date",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-header-key-duplicate",
            headers: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            canonicalHash: "dc7f04a3abfde8d472b0ab1a418b741b7c67174dad1551b4117b15527fbe966c",
            signedHeaders: "host;my-header1;x-amz-date",
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Vector(
            name: "get-header-value-trim", headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            canonicalHash: "a726db9b0df21c14f559d0a978e563112acb1b9e05476f0a6a1c7d68f28605c7",
            signedHeaders: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "get-header-value-order",
            headers: [
                ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"), ("My-Header1", "value2"),
            ],
            canonicalHash: "31ce73cd3f3d9f66977ad3dd957dc47af14df92fcd8509f59b349e9137c58b86",
            signedHeaders: "host;my-header1;x-amz-date",
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Vector(
            name: "get-vanilla-utf8-query", query: [("\u{1234}", "bar")],
            canonicalHash: "eb30c5bed55734080471a834cc727ae56beb50e5f39d1bff6d0d38cb192a7073",
            signedHeaders: "host;x-amz-date",
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            name: "get-utf8", path: "/\u{1234}",
            canonicalHash: "2a0a97d02205e45ce2e994789806b19270cfbbb0921b278ccf58f5249ac42102",
            signedHeaders: "host;x-amz-date",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            name: "get-unreserved", path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            canonicalHash: "6a968768eefaa713e2a6b16b589a8ea192661f098f37349f4e2c0082757446f9",
            signedHeaders: "host;x-amz-date",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-vanilla-query-unreserved",
            query: [
                (
                    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                )
            ],
            canonicalHash: "c30d4703d9f799439be92736156d47ccfb2d879ddf56f5befa6d1d6aab979177",
            signedHeaders: "host;x-amz-date",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Vector(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded")], body: "Param1=value1",
            canonicalHash: "42a5e5bb34198acb3e84da4f085bb7927f2bc277ca766e6d19c73c2154021281",
            signedHeaders: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            name: "post-sts-header-after", method: "POST",
            canonicalHash: "553f88c9e4d10fc9e109e2aeb65f030801b70c2f6468faca261d401ae622fc87",
            signedHeaders: "host;x-amz-date",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    ]

    @Test("Requests of AWS's test suite have its string to sign and signature", arguments: suite)
    func testSuite(vector: Vector) {
        let credentials = S3Credentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        let signature = AWSSignature(
            credentials: credentials, region: "us-east-1", service: "service", time: 1_440_938_160)
        let message = AWSSignature.Message(
            method: vector.method, path: AWSSignature.encode(vector.path, keepsSlashes: true), query: vector.query,
            headers: [("Host", "example.amazonaws.com")] + vector.headers + [("X-Amz-Date", signature.timestamp)],
            payloadHash: AWSSignature.hash(Array(vector.body.utf8)))
        #expect(
            signature.stringToSign(for: message)
                == "AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/service/aws4_request\n\(vector.canonicalHash)"
        )
        #expect(
            signature.authorization(for: message)
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(vector.signedHeaders), Signature=\(vector.signature)")
    }

    /// Of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header".
    static let examples: [Vector] = [
        Vector(
            name: "GET object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
            canonicalHash: "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
            signedHeaders: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            name: "PUT object", method: "PUT", path: "/test$file.text",
            headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            canonicalHash: "9e0e90d9c76de8fa5b200d8c849cd5b8dc7a3be3951ddb7f6a76b4158342019d",
            signedHeaders: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            name: "GET bucket lifecycle", query: [("lifecycle", "")],
            canonicalHash: "9766c798316ff2757b517bc739a67f6213b4ab36dd5da2f94eaebf79c77395ca",
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            name: "List objects", query: [("max-keys", "2"), ("prefix", "J")],
            canonicalHash: "df57d21db20da04d7fa30298dd4488ba3a2b47ca3a489c74750e0f1e7df1b9b7",
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("The examples of Amazon S3's documentation have the published signatures", arguments: examples)
    func documentation(vector: Vector) {
        let credentials = S3Credentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        let signature = AWSSignature(credentials: credentials, region: "us-east-1", time: 1_369_353_600)
        let hash = AWSSignature.hash(Array(vector.body.utf8))
        let message = AWSSignature.Message(
            method: vector.method, path: AWSSignature.encode(vector.path, keepsSlashes: true), query: vector.query,
            headers: [
                ("Host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", hash),
                ("x-amz-date", signature.timestamp),
            ] + vector.headers, payloadHash: hash)
        #expect(
            signature.stringToSign(for: message)
                == "AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n\(vector.canonicalHash)")
        #expect(
            signature.authorization(for: message)
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(vector.signedHeaders), Signature=\(vector.signature)")
    }

    @Test("The canonical request is the published one, line by line")
    func canonicalRequest() {
        let credentials = S3Credentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let message = AWSSignature.Message(
            method: "GET", path: "/test.txt",
            headers: [
                ("x-amz-date", "20130524T000000Z"), ("Host", "examplebucket.s3.amazonaws.com"), ("Range", "bytes=0-9"),
                ("x-amz-content-sha256", empty),
            ], payloadHash: empty)
        let request = AWSSignature(credentials: credentials, region: "us-east-1", time: 1_369_353_600)
            .canonicalRequest(for: message)
        #expect(
            request == """
                GET
                /test.txt

                host:examplebucket.s3.amazonaws.com
                range:bytes=0-9
                x-amz-content-sha256:\(empty)
                x-amz-date:20130524T000000Z

                host;range;x-amz-content-sha256;x-amz-date
                \(empty)
                """)
    }

    @Test("Secrets aren't in any description of credentials")
    func secrets() {
        let credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "hush", sessionToken: "quiet")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(text.contains("AKID") && !text.contains("hush") && !text.contains("quiet"))
        }
    }
}
#endif
