import ImageLoading
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
    // Reckoned by `date -u -d … +%s`.
    @Test(
        "All three date forms are parsed",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Mon, 29 Feb 2016 23:59:60 GMT", 1_456_790_400), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Wednesday, 01-Jan-69 00:00:00 GMT", 3_124_224_000), ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
            ("Sat, 01 Mar 2036 00:00:00 GMT", 2_087_942_400),
        ] as [(String, Int64)])
    func readsAllThreeForms(text: String, seconds: Int64) {
        #expect(HTTPDate.secondsSince1970(text) == seconds)
    }

    @Test(
        "Malformed dates are refused",
        arguments: [
            "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
            "Sun, 6 Nov 94 8:49 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
            "Sun, 06-Nov-1994-1 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov 6 08:49 1994", "a b c d e f",
            "a b c d e",
            "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
        ])
    func refusesWhatIsNone(text: String) {
        #expect(HTTPDate.secondsSince1970(text) == nil)
    }

    @Test(
        "Dates are written as in the standard's examples",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT", "2100-02-28T23:59:59Z"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
        ] as [(Int64, String, String)])
    func writesTheStandardsOwnExamples(_ seconds: Int64, _ text: String, _ internetText: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.internetText(seconds) == internetText)
    }

    @Test("Written dates are read back")
    func readsWhatItWrites() {
        for seconds in stride(from: Int64(0), to: 5_000_000_000, by: 12_345_678) {
            #expect(HTTPDate.secondsSince1970(HTTPDate.text(seconds)) == seconds)
        }
    }
}
