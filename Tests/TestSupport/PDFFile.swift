/// PDF files from their objects' text.
package enum PDFFile {
    /// A page: its size and what draws it.
    package struct Page {
        package var width: Double
        package var height: Double
        package var content: String
        /// Further entries of its dictionary, in which `/Resources` are.
        package var entries: String

        package init(
            _ width: Double, _ height: Double, _ content: String,
            entries: String = "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        ) {
            (self.width, self.height, self.content, self.entries) = (width, height, content, entries)
        }
    }

    /// A file of pages, and of further objects, whose numbers follow theirs: two for each page, and two before.
    package static func bytes(_ pages: [Page], objects more: [String] = [], trailer: String = "") -> [UInt8] {
        let kids = pages.indices.map { "\(3 + 2 * $0) 0 R" }.joined(separator: " ")
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>",
        ]
        for (index, page) in pages.enumerated() {
            objects.append(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(page.width) \(page.height)] /Contents \(4 + 2 * index) 0 R "
                    + "\(page.entries) >>")
            objects.append(stream(page.content))
        }
        objects += more
        var (file, offsets) = ("%PDF-1.4\n", [Int]())
        for (index, object) in objects.enumerated() {
            offsets.append(file.utf8.count)
            file += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = file.utf8.count
        file += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { file += String("000000000\(offset)".suffix(10)) + " 00000 n \n" }
        file += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R \(trailer) >>\nstartxref\n\(start)\n%%EOF\n"
        return Array(file.utf8)
    }

    /// A page of forms that draw each other ten times, ten deep.
    package static func formsInForms() -> [UInt8] {
        let forms = (0..<10).map { level in
            level == 9
                ? form("0 0 40 30 re f")
                : form(String(repeating: "/X Do ", count: 10), resources: "/XObject << /X \(6 + level) 0 R >>")
        }
        return bytes([Page(40, 30, "/X Do", entries: "/Resources << /XObject << /X 5 0 R >> >>")], objects: forms)
    }

    /// A form of 40 by 30 points.
    package static func form(_ content: String, resources: String = "") -> String {
        stream(content, entries: "/Type /XObject /Subtype /Form /BBox [0 0 40 30] /Resources << \(resources) >>")
    }

    /// An object with a stream.
    package static func stream(_ content: String, entries: String = "") -> String {
        "<< /Length \(content.utf8.count) \(entries) >>\nstream\n\(content)\nendstream"
    }
}
