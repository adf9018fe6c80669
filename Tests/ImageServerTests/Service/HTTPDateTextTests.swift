import ImageServer
import Testing

@Suite("Dates as they are sent")
struct HTTPDateTextTests {
    @Test(
        "Moments are written as the standards' own examples",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT", "2100-02-28T23:59:59Z"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
        ] as [(Int64, String, String)])
    func examples(_ seconds: Int64, _ text: String, _ internetText: String) {
        #expect(HTTPDateText.text(seconds) == text)
        #expect(HTTPDateText.internetText(seconds) == internetText)
    }

    @Test("What is written is read as the same moment")
    func roundTrip() {
        for seconds in stride(from: Int64(0), to: 5_000_000_000, by: 12_345_678) {
            #expect(HTTPDateText.seconds(HTTPDateText.text(seconds)) == seconds)
        }
    }

    @Test("What is no date has no moment", arguments: ["", "tomorrow", "Sun, 31 Feb 1994 08:49:37 GMT", "784111777"])
    func failures(_ text: String) {
        #expect(HTTPDateText.seconds(text) == nil)
    }
}
