import Foundation
import Raster
import Testing

@Suite("Colours in hexadecimal digits")
struct RGBA8HexadecimalTests {
    @Test(
        "Digits are parsed",
        arguments: [
            ("#336699", RGBA8(0x33, 0x66, 0x99)), ("336699", RGBA8(0x33, 0x66, 0x99)),
            ("#33669980", RGBA8(0x33, 0x66, 0x99, 0x80)), ("ABCDEF00", RGBA8(0xAB, 0xCD, 0xEF, 0)),
            ("#abcdeF", RGBA8(0xAB, 0xCD, 0xEF)), ("#000000", RGBA8(0, 0, 0)), ("#ffffffff", RGBA8(255, 255, 255)),
        ] as [(String, RGBA8)])
    func read(text: String, color: RGBA8) {
        #expect(RGBA8(hex: text) == color)
        #expect(RGBA8(hex: color.hex) == color)
    }

    @Test("Colours are written with six digits, or eight with alpha")
    func written() {
        #expect(RGBA8(0, 10, 255).hex == "#000aff")
        #expect(RGBA8(0, 10, 255, 0).hex == "#000aff00")
        #expect(RGBA8(1, 2, 3, 254).hex == "#010203fe")
    }

    @Test(
        "Other text is no colour",
        arguments: [
            "", "#", "#12345", "1234567", "#123456789", "##123456", "+12345", "-12345", "0x1234", "#12345g", "１１１１１１",
            "１１", "#12 456",
        ])
    func refused(text: String) throws {
        #expect(RGBA8(hex: text) == nil)
        let json = try JSONEncoder().encode([text])
        let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode([RGBA8].self, from: json) }
        #expect(error.map { "\($0)".contains("invalid colour") } == true)
    }

    @Test("Colours are coded as text")
    func coded() throws {
        let json = try JSONEncoder().encode([RGBA8(1, 2, 3), RGBA8(1, 2, 3, 4)])
        #expect(String(decoding: json, as: UTF8.self) == ##"["#010203","#01020304"]"##)
        #expect(try JSONDecoder().decode([RGBA8].self, from: json) == [RGBA8(1, 2, 3), RGBA8(1, 2, 3, 4)])
    }
}
