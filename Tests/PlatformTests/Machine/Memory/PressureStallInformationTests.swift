import Platform
import Testing

@Suite("Pressure stall information")
struct PressureStallInformationTests {
    @Test("Both lines of a pressure file are parsed")
    func readsBothLines() {
        let text = """
            some avg10=12.50 avg60=3.00 avg300=0.10 total=123456
            full avg10=0.25 avg60=0.00 avg300=0.00 total=99
            """
        #expect(PressureStallInformation(text) == PressureStallInformation(some: 12.5, full: 0.25))
    }

    @Test("The second line is optional")
    func doesWithoutTheSecond() {
        #expect(
            PressureStallInformation("some avg10=100.00 avg60=0.00\n") == PressureStallInformation(some: 100, full: nil)
        )
    }

    @Test(
        "Malformed pressure files yield nothing",
        arguments: [
            "", "\n\n", "full avg10=1.00", "some", "some avg10=", "some avg10=x", "some avg10=nan", "some avg10=-1",
            "some avg10=101", "some avg60=1.00", "avg10=1.00", "\u{0}\u{FFFD}some avg10=1", "some=avg10 10",
        ])
    func garbage(_ text: String) { #expect(PressureStallInformation(text) == nil) }
}
