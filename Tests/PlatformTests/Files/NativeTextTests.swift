import Platform
import Testing

/// Names of files as text, and as bytes again.
@Suite("Names of files as text")
struct NativeTextTests {
    @Test(
        "Bytes become text and the same bytes again",
        arguments: [
            Array("photo.jpg".utf8), Array("küche 日本 🏔.png".utf8), [], [0xFF], [0x80, 0x2E, 0x6A],
            // Latin 1, a cut character, an overlong slash, a surrogate, a character beyond Unicode.
            [0x6B, 0xFC, 0x63, 0x68, 0x65], [0xE6, 0x97], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            // The characters that stand for bytes, as a name.
            Array("\u{10FEFF}\u{10FE80}".utf8), Array("\u{10FEFF}".utf8) + [0xFF],
        ] as [[UInt8]])
    func roundTrip(_ bytes: [UInt8]) {
        #expect(String(native: bytes).nativeBytes == bytes)
        #expect(String(native: bytes).native == bytes.map { CChar(bitPattern: $0) } + [0])
    }

    @Test("Different bytes are different text")
    func distinct() {
        // Bytes, since texts are equal if their characters are equivalent, as Greek and Latin semicolons are.
        var texts: Set<[UInt8]> = []
        for first in UInt8(0x70)...0xFF {
            for second in UInt8(0x70)...0xFF { texts.insert(Array(String(native: [first, second]).utf8)) }
        }
        #expect(texts.count == 144 * 144)
        #expect(String(native: Array("\u{10FEFF}".utf8)) != String(native: [0xFF]))
    }

    @Test(
        "Characters that could command a terminal are shown",
        arguments: [
            ("plain.jpg", "plain.jpg"), ("two\nlines\tand a tab", "two\nlines\tand a tab"),
            ("\u{1B}[31mred\u{7}", "\\x1b[31mred\\x07"), ("\u{9B}2J\u{7F}", "\\x9b2J\\x7f"),
            ("gpj.\u{202E}evil", "gpj.\\u{202e}evil"), ("caf\u{E9} 日本", "caf\u{E9} 日本"), ("a\rb", "a\\x0db"),
        ])
    func printable(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test("Bytes that aren't UTF-8 are shown")
    func printableBytes() {
        #expect(String(native: [0x61, 0xFC, 0x62]).printable == "a\\xfcb")
    }
}
