internal import ImageEffects

extension QueryItem {
    /// The rows of a table of all items in HTML: the item, what it does, an example as a link to `/image/ID` where `picture` is
    /// an identifier, percent-encoded.
    package static func rows(_ items: [QueryItem], picture: String?) -> String {
        items.map { item in
            let written = item.usage.isEmpty ? item.name : "\(item.name)=\(item.usage)"
            let example = item.exampleItem.escapedForHTML
            let shown = "<code>\(example)</code>"
            // A mask has to be there; a link to one that isn't would only fail.
            let isComplete = !item.parameters.contains { $0.kind == .picture }
            let link =
                picture.flatMap { isComplete ? "<a href=\"/image/\($0.escapedForHTML)?\(example)\">\(shown)</a>" : nil }
            return "<tr><td><code>\(written.escapedForHTML)</code></td><td>\(item.sentence.escapedForHTML)</td>"
                + "<td>\(link ?? shown)</td></tr>\n"
        }.joined()
    }
}

extension String {
    /// The text with everything replaced that means something in HTML's text and attributes.
    fileprivate var escapedForHTML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
