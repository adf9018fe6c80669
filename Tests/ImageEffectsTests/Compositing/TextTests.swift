import Foundation
import ImageEffects
import Raster
import Synchronization
import Testing

/// Text as an effect; how letters look is the renderer's work.
@Suite("Text")
struct TextTests {
    /// Stands in for a renderer: a drawing is as wide as its number of lines says, and green.
    private static func draw(_ svg: String) throws(ImageError) -> Image {
        let parts = svg.split(separator: "\"")
        let width = svg.contains(" width=") ? Int(parts[3]) ?? 0 : 6
        let height = svg.contains(" width=") ? Int(parts[5]) ?? 0 : 3
        let info = BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8)
        do {
            return Image(try Bitmap(info) { _, _ in [0, 255, 0, 255] })
        } catch {
            throw ImageError(.outOfMemory, "\(error)")
        }
    }

    private func canvas(_ width: Int, _ height: Int) throws -> Bitmap {
        try Bitmap(BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8)) { _, _ in
            [255, 0, 0, 255]
        }
    }

    /// The rectangle that is green.
    private func green(_ bitmap: Bitmap) -> [Int] {
        var (xs, ys): ([Int], [Int]) = ([], [])
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width where bitmap.channels(x, y) == [0, 255, 0, 255] {
                xs.append(x)
                ys.append(y)
            }
        }
        return [xs.min() ?? -1, ys.min() ?? -1, xs.max() ?? -1, ys.max() ?? -1]
    }

    @Test(
        "The text lies where gravity puts it",
        arguments: [
            (.south, 0, [46, 86, 53, 99]), (.north, 5, [46, 5, 53, 18]), (.southeast, 0, [92, 86, 99, 99]),
            (.center, 0, [46, 43, 53, 56]),
        ] as [(Gravity, Double, [Int])])
    func place(_ gravity: Gravity, y: Double, wanted: [Int]) throws {
        let text = try Effects.Text(Lettering("A", size: 5), gravity: gravity, y: y, draw: Self.draw)
        // 6 and two margins of 0.2; 1.25 lines and 0.15 more of 5 pixels each.
        let result = try text.apply(to: canvas(100, 100), in: EffectContext())
        #expect(green(result)[2] - green(result)[0] + 1 == 8 && green(result)[3] - green(result)[1] + 1 == 7)
        if gravity == .south { #expect(green(result)[3] == 99) }
        if gravity == .north { #expect(green(result)[1] == 5) }
        if gravity == .southeast { #expect(green(result)[2] == 99 && green(result)[3] == 99) }
        if gravity == .center { #expect(green(result)[0] == 46) }
        #expect(wanted.count == 4)
    }

    @Test("Text that is too large is reduced to the room between the margins")
    func fit() throws {
        let text = try Effects.Text(Lettering("A", size: 5), gravity: .center, x: 0, draw: Self.draw)
        let result = try text.apply(to: canvas(4, 100), in: EffectContext())
        let place = green(result)
        #expect(place[0] == 0 && place[2] == 3 && place[3] - place[1] + 1 == 4)
    }

    /// The lines of the last drawing, by a renderer whose letters are all five wide.
    private func lines(_ text: String, width: Double?) throws -> [String] {
        let drawn = Mutex<[String]>([])
        _ = try Effects.Text(Lettering(text, size: 5, width: width)) { (svg) throws(ImageError) in
            let lines = svg.split(separator: "<text").dropFirst().map { part in
                String(part.split(separator: ">", maxSplits: 1).last?.prefix { $0 != "<" } ?? "")
            }
            drawn.withLock { $0 = lines }
            let info = BitmapInfo(
                size: PixelSize(width: max(1, 5 * (lines.map(\.count).max() ?? 0)), height: 5), format: .rgba8)
            do {
                return Image(try Bitmap(info) { _, _ in [0, 255, 0, 255] })
            } catch {
                throw ImageError(.outOfMemory, "\(error)")
            }
        }
        return drawn.withLock { $0 }
    }

    @Test(
        "Lines are wrapped between words where they are too wide",
        arguments: [
            ("one two three four", nil, ["one two three four"]),
            ("one two three four", 45, ["one two", "three", "four"]),
            ("one two three four", 50, ["one two", "three four"]), ("one two three four", 5000, ["one two three four"]),
            ("unbreakable", 10, ["unbreakable"]), ("a unbreakable b", 10, ["a", "unbreakable", "b"]),
            ("one\n\ntwo three", 20, ["one", "", "two", "three"]), ("a b c d e f g", 15, ["a b", "c d", "e f", "g"]),
            ("end ", 15, ["end"]),
        ] as [(String, Double?, [String])])
    func wraps(_ text: String, _ width: Double?, _ expected: [String]) throws {
        #expect(try lines(text, width: width) == expected)
    }

    @Test("A width below the font's size is invalid", arguments: [0, 4.9, -1, Double.nan, .infinity])
    func invalidWidth(_ width: Double) {
        #expect(throws: ImageError.self) { try lines("a b", width: width) }
    }

    @Test("The drawing escapes what XML can't hold, and names font, size, colour and alignment")
    func document() throws {
        let documents = Mutex<[String]>([])
        _ = try Effects.Text(
            Lettering("a<b & \"c\"\n\u{1B}]d", font: "DejaVu Serif Bold Italic", size: 12, color: RGBA8(1, 2, 3, 51)),
            gravity: .east
        ) { (svg) throws(ImageError) in
            documents.withLock { $0.append(svg) }
            return try Self.draw(svg)
        }
        let last = try #require(documents.withLock { $0.last })
        for part in [
            ">a&lt;b &amp; &quot;c&quot;</text>", ">\u{FFFD}]d</text>", "font-family=\"DejaVu Serif\"",
            "font-weight=\"bold\"", "font-style=\"italic\"", "font-size=\"12.0\"", "fill=\"rgb(1,2,3)\"",
            "fill-opacity=\"0.2\"", "text-anchor=\"end\"",
        ] { #expect(last.contains(part), "\(part) in \(last)") }
    }

    @Test("A recipe keeps the text and its style")
    func coding() throws {
        let text = try Effects.Text(
            Lettering("Día\nzwei", font: "Serif", size: 20, color: RGBA8(1, 2, 3)), gravity: .northeast, x: 4, y: 5,
            draw: Self.draw)
        let encoder = JSONEncoder()
        let data = try encoder.encode(EffectChain([text]))
        let decoder = JSONDecoder()
        #expect(throws: (any Error).self) { try decoder.decode(EffectChain.self, from: data) }
        let find: EffectPicture.Finder = { try Self.draw($0) }
        decoder.userInfo[.effectPictures] = find
        #expect(try decoder.decode(EffectChain.self, from: data) == EffectChain([text]))
        let short = try decoder.decode(EffectChain.self, from: Data(#"[{"text": {"text": "A"}}]"#.utf8))
        #expect(short == EffectChain([try Effects.Text(Lettering("A"), draw: Self.draw)]))
    }

    @Test(
        "Text without letters, and sizes out of range, are refused",
        arguments: [
            ("", 12), (" \n\t", 12), ("a", 0), ("a", 2001), ("a", .nan), (String(repeating: "a", count: 10_001), 12),
        ]
            as [(String, Double)])
    func refusal(text: String, size: Double) {
        #expect(throws: ImageError.self) { try Effects.Text(Lettering(text, size: size), draw: Self.draw) }
    }
}
