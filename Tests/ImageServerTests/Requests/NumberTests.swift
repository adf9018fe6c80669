import ImageServer
import Testing

@Suite("Numbers in URLs")
struct NumberTests {
    @Test(
        "Whole numbers are up to a limit of digits",
        arguments: [
            ("0", 0), ("7", 7), ("007", 7), ("512", 512), ("999999999999999", 999_999_999_999_999),
            ("1000000000000000", nil), ("99999999999999999999999", nil), ("", nil), ("-1", nil), ("+1", nil),
            ("1.0", nil), ("1e3", nil), (" 1", nil), ("1 ", nil), ("0x10", nil), ("１", nil), ("٣", nil), ("½", nil),
            ("1_000", nil), ("1,", nil), ("nan", nil), ("1\u{301}", nil),
        ] as [(String, Int?)])
    func integers(text: String, value: Int?) {
        #expect(RequestNumber.integer(text) == value)
    }

    @Test(
        "Decimal numbers are digits and a point, canonically without redundant zeros",
        arguments: [
            ("0", 0, "0"), ("22.5", 22.5, "22.5"), (".5", 0.5, "0.5"), ("5.", 5, "5"), ("0.90", 0.9, "0.9"),
            ("007.50", 7.5, "7.5"), ("100.000", 100, "100"), ("0.00000001", 1e-8, "0.00000001"), ("00", 0, "0"),
            ("0.0", 0, "0"), ("123456789012345", 123_456_789_012_345, "123456789012345"),
            ("359.99999999999", 359.99999999999, "359.99999999999"),
        ] as [(String, Double, String)])
    func decimals(text: String, value: Double, best: String) throws {
        let number = try #require(DecimalNumber(text))
        #expect(number.value == value)
        #expect(number.text == best)
        #expect(DecimalNumber(best) == number)
    }

    @Test(
        "Malformed decimal numbers are refused",
        arguments: [
            "", ".", "..", "1.2.3", "-1", "+1", "1e3", "1E3", "inf", "nan", "0x1p3", "1,5", " 1", "1 ", "١", "1.5f",
            "1234567890123456", "0.00000000000001", "1\u{301}", ".\u{301}5",
        ])
    func noDecimals(text: String) {
        #expect(DecimalNumber(text) == nil)
    }
}
