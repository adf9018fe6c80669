import ImageFormats
import Testing

@Suite("Text of JSON and addresses")
struct TextTests {
    @Test(
        "A text is quoted",
        arguments: [
            ("", "\"\""), ("a\"b\\c", "\"a\\\"b\\\\c\""), ("a\nb\tc\rd", "\"a\\nb\\tc\\rd\""),
            ("\u{1}\u{1F}", "\"\\u0001\\u001f\""),
            ("Übersicht 🖼", "\"Übersicht 🖼\""),
        ])
    func quoted(_ text: String, _ quoted: String) { #expect(JSONValue.quoted(text) == quoted) }

    @Test("A value is written on one line, and with indentation")
    func values() {
        let value = JSONValue.object([
            ("a", .array([.integer(1), .number(0.5), JSONValue(2), .null])), ("b", .boolean(true)), ("c", .object([])),
            ("d", .number(.infinity)), ("e", .string("x")),
        ])
        #expect(value.compactText == #"{"a":[1,0.5,2,null],"b":true,"c":{},"d":null,"e":"x"}"#)
        #expect(
            value.text() == """
                {
                  "a": [
                    1,
                    0.5,
                    2,
                    null
                  ],
                  "b": true,
                  "c": {},
                  "d": null,
                  "e": "x"
                }
                """)
    }

    @Test(
        "Encoded text is decoded to the same",
        arguments: [
            ("a b/ü", "", "a%20b%2F%C3%BC"), ("a,b/c", ",/", "a,b/c"), ("-._~%", "", "-._~%25"), ("\u{1}", "", "%01"),
        ])
    func encoded(_ text: String, _ kept: String, _ encoded: String) {
        #expect(PercentEncoding.encoded(text, keeping: kept) == encoded)
        #expect(PercentEncoding.decoded(encoded) == text)
    }

    @Test("A % needs two hexadecimal digits, and text must be UTF-8", arguments: ["%", "%4", "%zz", "a%", "%ff"])
    func malformed(_ text: String) { #expect(PercentEncoding.decoded(text) == nil) }
}
