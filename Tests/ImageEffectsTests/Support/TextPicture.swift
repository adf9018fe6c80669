import Raster

/// A picture drawn in text: a line for each row, a character for each pixel.
///
/// `.` is transparent; `K` `W` `R` `G` `B` `C` `M` `Y` are black, white and the full colours; small letters are the same
/// at an alpha of 128, premultiplied; `1` to `9` are greys of 25, 50 … 225. Spaces between pixels don't count.
///
/// ```swift
/// let turned = try effect.apply(to: TextPicture("RG\nBW").bitmap(), in: context)
/// #expect(TextPicture(turned) == "BR\nWG")
/// ```
struct TextPicture: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The rows, their lines without spaces.
    let rows: [String]

    init(_ text: String) {
        rows = text.split(separator: "\n").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
    }

    init(stringLiteral text: String) { self.init(text) }

    /// Draws `bitmap`, RGBA of either depth, opaque or premultiplied; what has no letter of its own is a `?`.
    init(_ bitmap: Bitmap) {
        let pixels = Self.letters
        rows = (0..<bitmap.height).map { y in
            String(
                (0..<bitmap.width).map { x -> Character in
                    let values = bitmap.channels(x, y)
                    let bytes = bitmap.format.bitsPerChannel == 16 ? values.map { $0 / 257 } : values
                    if bitmap.format.bitsPerChannel == 16, values.contains(where: { $0 % 257 != 0 }) { return "?" }
                    return pixels.first { $0.value == bytes }?.key ?? "?"
                })
        }
    }

    var description: String { rows.joined(separator: "\n") }

    /// The drawing as RGBA: opaque where every pixel is, else premultiplied, unless asked for otherwise.
    func bitmap(bits: Int = 8, alpha: AlphaMode? = nil) throws -> Bitmap {
        let letters = Self.letters
        let pixels = try rows.flatMap { row in
            try row.map { letter in
                guard let pixel = letters[letter] else { throw ImageError(.invalidParameter, "no letter: \(letter)") }
                return pixel
            }
        }
        guard Set(rows.map(\.count)).count == 1 else { throw ImageError(.invalidParameter, "rows of unequal lengths") }
        let info = BitmapInfo(
            size: PixelSize(width: rows[0].count, height: rows.count), format: bits == 16 ? .rgba16 : .rgba8,
            alpha: alpha ?? (pixels.allSatisfy { $0[3] == 255 } ? AlphaMode.none : .premultiplied))
        return try Bitmap(info) { x, y in pixels[y * info.size.width + x].map { bits == 16 ? $0 * 257 : $0 } }
    }

    /// The channels, 0 to 255, that each letter stands for.
    private static let letters: [Character: [Int]] = {
        var letters: [Character: [Int]] = [".": [0, 0, 0, 0]]
        let colors: [(String, [Int])] = [
            ("K", [0, 0, 0]), ("W", [1, 1, 1]), ("R", [1, 0, 0]), ("G", [0, 1, 0]), ("B", [0, 0, 1]),
            ("C", [0, 1, 1]), ("M", [1, 0, 1]), ("Y", [1, 1, 0]),
        ]
        for (letter, color) in colors {
            letters[Character(letter)] = color.map { $0 * 255 } + [255]
            letters[Character(letter.lowercased())] = color.map { $0 * 128 } + [128]
        }
        for grey in 1...9 { letters[Character(String(grey))] = [grey * 25, grey * 25, grey * 25, 255] }
        return letters
    }()
}
