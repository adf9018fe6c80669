internal import ImageEffects
internal import ImageFormats
internal import Tessera

/// The captions of a row of a contact sheet, as an SVG that the codec for drawings draws.
struct SheetCaptions {
    private let captions: [String]
    private let layout: SheetLayout
    private let color: String
    private static let fontSize = 13
    /// The width of an average character as a share of the font's size.
    private static let characterWidth = 0.6

    /// - Parameter isOnDark: Whether the background is dark, so that the text must be light.
    init(_ captions: [String], layout: SheetLayout, isOnDark: Bool) {
        (self.captions, self.layout, color) = (captions, layout, isOnDark ? "#e8e8e8" : "#303030")
    }

    /// Draws the captions over transparency.
    /// - Throws: `unknownFormat` or `unsupported` if drawings can't be read here.
    func makeBitmap(_ registry: CodecRegistry) throws(ImageError) -> Bitmap {
        do throws(ImageError) {
            return try Image(data: svg.utf8, registry: registry).bitmap().converted(to: .rgba8, alpha: .premultiplied)
        } catch {
            throw ImageError(error.code, "captions can't be drawn: \(error.message); --caption none leaves them out")
        }
    }

    /// Each caption is an inner drawing of the cell's width, which cuts what is too long.
    private var svg: String {
        let height = layout.captionHeight
        let texts = captions.enumerated().map { column, caption in
            """
            <svg x="\(layout.left(ofColumn: column))" width="\(layout.cell.width)" height="\(height)" overflow="hidden">\
            <text x="50%" y="\(height - 7)" text-anchor="middle">\(Lettering.escaped(shortened(caption)))</text></svg>
            """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(layout.size.width)" height="\(height)" \
            font-family="sans-serif" font-size="\(Self.fontSize)" fill="\(color)">\(texts.joined())</svg>
            """
    }

    /// Replaces the middle of a caption that is too long, because names often differ at their ends.
    private func shortened(_ caption: String) -> String {
        let count = max(4, Int(Double(layout.cell.width) / (Double(Self.fontSize) * Self.characterWidth)))
        guard caption.count > count else { return caption }
        return "\(caption.prefix((count - 1) / 2))…\(caption.suffix(count / 2))"
    }
}
