import ImageLoading
import Testing

@Suite("The freshness of stored data")
struct CacheFreshnessTests {
    /// When the responses arrive: Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now: Int64 = 784_111_777
    private static let today = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "Cache-Control and related fields are parsed",
        arguments: [
            ([:], 0),
            (["Cache-Control": "max-age=60"], 60),
            (["Cache-Control": "public, MAX-AGE = 60 , immutable"], 60),
            (["Cache-Control": "max-age=\"60\""], 60),
            (["Cache-Control": "s-maxage=9, max-age=60"], 60),
            (["Cache-Control": "s-maxage=9"], 0),
            (["Cache-Control": "max-age=60", "Age": "20"], 40),
            (["Cache-Control": "max-age=60", "Age": "100"], 0),
            (["Cache-Control": "max-age=60", "Age": "soon"], 60),
            (["Cache-Control": "max-age=60, no-cache"], 0),
            (["Cache-Control": "max-age=60, no-cache=\"Set-Cookie, X\""], 60),
            (["Cache-Control": "max-age=60, no-store"], 0),
            (["Cache-Control": "ext=\"a, no-store\", max-age=60"], 60),
            (["Cache-Control": "max-age=sixty"], 0),
            (["Cache-Control": "max-age=-1"], 0),
            (["Cache-Control": "max-age=60, max-age=30"], 30),
            (["Cache-Control": "max-age=99999999999999999999999"], 1 << 41),
            // Beside max-age, Expires doesn't count.
            (["Cache-Control": "max-age=60", "Expires": "0"], 60),
            (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": today], 60),
            (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 60),
            (["Expires": "Sun, 06 Nov 1994 08:48:37 GMT", "Date": today], 0),
            (["Expires": "0"], 0),
            (["Expires": "-1", "Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"], 0),
            // Date is a minute ago: so old are the bytes.
            (["Cache-Control": "max-age=100", "Date": "Sun, 06 Nov 1994 08:48:37 GMT"], 40),
            // The server's clock is ahead of ours.
            (["Cache-Control": "max-age=100", "Date": "Sun, 06 Nov 1994 08:50:37 GMT"], 100),
            (["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT", "Date": today], 100),
            (["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"], 100),
            (["Last-Modified": "Sun Nov  6 08:32:57 1994"], 100),
            (["Last-Modified": "Sun, 06 Nov 1904 08:32:57 GMT"], 86400),
            (["Last-Modified": "Sun, 06 Nov 2044 08:32:57 GMT"], 0),
            (["Last-Modified": "yesterday"], 0),
        ] as [(HTTPHeaders, Int64)])
    func readsWhatServersSay(headers: HTTPHeaders, lifetime: Int64) {
        let freshness = CacheFreshness(response: DataResponse(url: nil, headers: headers), receivedAt: Self.now)
        #expect(freshness == CacheFreshness(validatedAt: Self.now, lifetime: lifetime))
    }

    @Test("Fields needed for revalidation are kept")
    func keepsWhatIsNeededToAskAgain() {
        let response = DataResponse(
            url: nil,
            headers: [
                "etag": "W/\"a\"", "last-modified": Self.today, "content-type": "image/png; a=b",
                "cache-control": "max-age=5",
            ])
        let metadata = DataCacheMetadata(response: response, receivedAt: 10)
        #expect(
            metadata
                == DataCacheMetadata(
                    mimeType: "image/png", entityTag: "W/\"a\"", lastModified: Self.today,
                    freshness: CacheFreshness(validatedAt: 10, lifetime: 5)))
        #expect(response.allowsCaching)
        #expect(!DataResponse(url: nil, headers: ["Cache-Control": "No-Store"]).allowsCaching)
    }

    @Test("A 304's fields replace the stored ones")
    func confirmationsReplaceWhatTheyRepeat() {
        let old = DataCacheMetadata(
            mimeType: "image/png", entityTag: "\"1\"", freshness: CacheFreshness(validatedAt: 0, lifetime: 60))
        let silent = old.confirmed(by: DataResponse(url: nil, statusCode: 304), receivedAt: 100)
        #expect(silent.freshness == CacheFreshness(validatedAt: 100, lifetime: 60) && silent.entityTag == "\"1\"")
        let speaking = old.confirmed(
            by: DataResponse(url: nil, statusCode: 304, headers: ["Cache-Control": "max-age=7", "ETag": "\"2\""]),
            receivedAt: 100)
        #expect(speaking.freshness == CacheFreshness(validatedAt: 100, lifetime: 7))
        #expect(speaking.entityTag == "\"2\"" && speaking.mimeType == "image/png")
    }
}
