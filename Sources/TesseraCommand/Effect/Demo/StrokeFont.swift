/// A stroke font for labels: it looks the same everywhere and needs no system font.
enum StrokeFont {
    /// A point in the font's units: the baseline is at 12, x-height at 4, ascenders at 0 and descenders at 16.
    typealias Point = (x: Double, y: Double)

    /// The height of a line of text.
    static let height = 17.0
    private static let spacing = 3.2

    /// Returns the line segments of `text` and its width.
    static func lines(_ text: String) -> (segments: [(Point, Point)], width: Double) {
        var segments: [(Point, Point)] = []
        var left = 0.0
        for character in text {
            guard let glyph = glyphs[character] else {
                left += 5
                continue
            }
            let lines = glyph.split(separator: " ").flatMap(stroke)
            let width = lines.reduce(0) { max($0, max($1.0.x, $1.1.x)) }
            segments += lines.map { (($0.0.x + left, $0.0.y), ($0.1.x + left, $0.1.y)) }
            left += width + spacing
        }
        return (segments, max(0, left - spacing))
    }

    /// Parses a stroke: its kind, then two base-17 digits for each point.
    private static func stroke(_ text: Substring) -> [(Point, Point)] {
        let digits = text.dropFirst().map { Double($0.wholeNumberValue ?? Int($0.unicodeScalars.first!.value) - 87) }
        let points = stride(from: 0, to: digits.count - 1, by: 2).map { (x: digits[$0], y: digits[$0 + 1]) }
        switch text.first {
        case "~": return joined(curve([points[0]] + points + [points[points.count - 1]]))
        case "@": return joined(curve(points + points.prefix(2)))
        default: return points.count == 1 ? [(points[0], points[0])] : joined(points)
        }
    }

    private static func joined(_ points: [Point]) -> [(Point, Point)] { Array(zip(points, points.dropFirst())) }

    /// Approximates the uniform quadratic B-spline of `points` by line segments.
    private static func curve(_ points: [Point]) -> [Point] {
        var result: [Point] = []
        for index in 0..<(points.count - 2) {
            let (a, b, c) = (points[index], points[index + 1], points[index + 2])
            for step in 0...6 {
                let t = Double(step) / 6
                let (first, second, third) = ((1 - t) * (1 - t) / 2, 0.5 + t * (1 - t), t * t / 2)
                result.append((first * a.x + second * b.x + third * c.x, first * a.y + second * b.y + third * c.y))
            }
        }
        return result
    }

    /// Strokes: `-` is a polyline, `~` a curve from the first point to the last, `@` a closed curve.
    private static let glyphs: [Character: String] = [
        "a": "@04747c0c -747c", "b": "-000c @04747c0c", "c": "~7554040c5c7b", "d": "@04747c0c -707c",
        "e": "-0878 ~7874040c5c7b", "f": "~502024 -242c -0454", "g": "@04747c0c -747d ~7d7g2g0f",
        "h": "-000c ~08047478 -787c", "i": "-040c -01", "j": "-242d ~2d2g0g -21", "k": "-000c -6409 -276c",
        "l": "-000c", "m": "-040c ~08045458 -585c ~5854a4a8 -a8ac", "n": "-040c ~08047478 -787c",
        "o": "@04747c0c", "p": "-040g @04747c0c", "q": "@04747c0c -747g", "r": "-040c ~08043454",
        "s": "~65540408686c1c0b", "t": "-202a ~2a2c5c -0454", "u": "-0408 ~080c7c78 -747c", "v": "-043c64",
        "w": "-043c547ca4", "x": "-046c -640c", "y": "-043b -641g", "z": "-04640c6c",
        "0": "@00707c0c", "1": "-03303c", "2": "~030070750c -0c7c", "3": "~0120707636 ~36767c1c0b",
        "4": "-5c500878", "5": "-601006 ~0625757c1c0b", "6": "@05757c0c ~60210509", "7": "-00702c",
        "8": "@10606616 @06767c0c", "9": "@00707707 ~73775b1c",
        "B": "-000c ~00707606 ~06868c0c", "D": "-000c ~00808c0c", "F": "-70000c -0656", "L": "-000c6c",
        "R": "-000c ~00707606 -367c", "S": "~72600006767c1c0a", "T": "-0080 -404c",
        "-": "-0848", ",": "-1b0e", ".": "-0c", "#": "-311b -715b -0484 -0888",
    ]
}
