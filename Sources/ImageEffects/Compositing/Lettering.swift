public import Raster

/// Text and its look.
public struct Lettering: Hashable, Sendable {
    /// The text; a line break begins a new line.
    public var text: String
    /// The name of the font's family, after which `Bold` and `Italic` may follow.
    public var font: String
    /// The font's size in units of length: the height of a line of solid text.
    public var size: Double
    /// The colour of the letters, straight sRGB.
    public var color: RGBA8
    /// The width in units of length at which lines are wrapped between words; nil for no wrapping.
    public var width: Double?

    package static let standardFont = "sans-serif"
    package static let standardSize = 24.0
    package static let standardColor = RGBA8(255, 255, 255)

    /// Text in a font.
    public init(
        _ text: String, font: String = "sans-serif", size: Double = 24, color: RGBA8 = RGBA8(255, 255, 255),
        width: Double? = nil
    ) {
        self.text = text
        self.font = font
        self.size = size
        self.color = color
        self.width = width
    }

    /// Longer text isn't a caption, and takes long to lay out.
    private static let maximumByteCount = 10_000

    /// The space at both ends of a line.
    private var margin: Double { 0.2 * size }

    /// Draws the text: at first alone, for its width, then in a drawing of that width.
    func picture(
        alignedBy gravity: Gravity, _ draw: (_ svg: String) throws(ImageError) -> Image
    ) throws(ImageError) -> EffectPicture {
        guard size >= 1, size <= 2000 else {
            throw ImageError(.invalidParameter, "invalid font size \(size): it is 1 to 2000")
        }
        guard text.utf8.count <= Self.maximumByteCount else {
            throw ImageError(
                .limitExceeded, "the text has \(text.utf8.count) bytes; the limit is \(Self.maximumByteCount)")
        }
        guard
            text.unicodeScalars.contains(where: {
                !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            })
        else {
            throw ImageError(.invalidParameter, "the text has no visible characters")
        }
        let lines = try wrappedLines { (line) throws(ImageError) in
            try draw(document([line], width: nil, gravity)).size.width
        }
        let width = try draw(document(lines, width: nil, gravity)).size.width
        // Room for parts of letters that reach beyond their widths.
        let svg = document(lines, width: width + Int((2 * margin).rounded(.up)), gravity)
        return EffectPicture(try draw(svg), reference: svg)
    }

    /// The lines of text, wrapped between words. A word that is too wide has a line for itself.
    /// - Parameter measure: Returns the width of a line, which takes a drawing.
    private func wrappedLines(
        _ measure: (_ line: Substring) throws(ImageError) -> Int
    ) throws(ImageError) -> [Substring] {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let width else { return lines }
        guard width.isFinite, width >= size else {
            throw ImageError(.invalidParameter, "invalid width \(width) of text: it is at least the font size, \(size)")
        }
        var wrapped: [Substring] = []
        for line in lines {
            var rest = line
            while true {
                // The ends of words; a line's share of them is found by halving.
                let ends = rest.indices.filter { rest[$0] == " " && $0 > rest.startIndex } + [rest.endIndex]
                var (fitting, end) = (0, ends.count)
                let isFitting = rest.isEmpty ? true : try measure(rest) <= Int(width)
                if isFitting {
                    fitting = ends.count - 1
                } else {
                    end = ends.count - 1
                }
                while fitting + 1 < end {
                    let middle = (fitting + end) / 2
                    if try measure(rest[..<ends[middle]]) <= Int(width) { fitting = middle } else { end = middle }
                }
                wrapped.append(rest[..<ends[fitting]])
                rest = rest[ends[fitting]...].drop { $0 == " " }
                if rest.isEmpty { break }
            }
        }
        return wrapped
    }

    /// Lines as an SVG document, of the drawing's size if `width` is nil.
    private func document(_ lines: [Substring], width: Int?, _ gravity: Gravity) -> String {
        let height = Int((1.25 * size * Double(lines.count) + 0.15 * size).rounded(.up))
        var words = font.split(separator: " ")
        var style = ""
        while let last = words.last?.lowercased(), words.count > 1, last == "bold" || last == "italic" {
            style += last == "bold" ? #" font-weight="bold""# : #" font-style="italic""#
            words.removeLast()
        }
        let extent = width.map { #" width="\#($0)" height="\#(height)""# } ?? ""
        let end = Double(width ?? 0)
        let (anchor, x) =
            switch gravity {
            case .northwest, .west, .southwest: ("start", margin)
            case .north, .center, .south: ("middle", end / 2)
            case .northeast, .east, .southeast: ("end", end - margin)
            }
        let texts = lines.enumerated().map { index, line in
            #"<text x="\#(x)" y="\#((Double(index) * 1.25 + 1) * size)">\#(Self.escaped(line))</text>"#
        }
        let opacity = Double(color.alpha) / 255
        return """
            <svg xmlns="http://www.w3.org/2000/svg"\(extent) text-anchor="\(anchor)" \
            font-family="\(Self.escaped(words.joined(separator: " ")))" font-size="\(size)"\(style) \
            fill="rgb(\(color.red),\(color.green),\(color.blue))" fill-opacity="\(opacity)" \
            xml:space="preserve">\(texts.joined())</svg>
            """
    }

    /// Escapes text for XML. Characters that XML can't hold become U+FFFD.
    package static func escaped(_ text: some StringProtocol) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{fffe}", "\u{ffff}":
                result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
