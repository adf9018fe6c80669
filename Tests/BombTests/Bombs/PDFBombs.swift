import TestSupport

/// Documents whose pages are drawn for ever or take memory without end. What the worker takes isn't this process's; what it
/// delivers is.
enum PDFBombs {
    private static func file(_ content: String, _ resources: String = "", objects: [String] = []) -> [UInt8] {
        PDFFile.bytes(
            [PDFFile.Page(40, 30, content, entries: "/Resources << \(resources) >>")], objects: objects)
    }

    private static let refusals = [Bomb.limit, Bomb.corrupt, Bomb.unsupported, Bomb.truncated, Bomb.unknown]
    private static let ways = ["whole"]

    static let all: [Bomb] = [
        Bomb("PDF, 1e9 points on a side", refusals, by: ways) { PDFFile.bytes([PDFFile.Page(1e9, 1e9, "")]) },
        Bomb("PDF, 40,000 points on a side", refusals, by: ways) { PDFFile.bytes([PDFFile.Page(40_000, 40_000, "")]) },
        Bomb("PDF, a form used ten times in each of ten", refusals, by: ways) { PDFFile.formsInForms() },
        Bomb("PDF, a form that uses itself", [], by: ways) {
            file(
                "/X Do", "/XObject << /X 5 0 R >>",
                objects: [PDFFile.form("/X Do", resources: "/XObject << /X 5 0 R >>")])
        },
        Bomb("PDF, 60,000 on a side in an image of 64 KB", [], by: ways) {
            // Zeros, which poppler pads.
            let image = PDFFile.stream(
                String(repeating: "\0", count: 1 << 16),
                entries:
                    "/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB"
            )
            return file("40 0 0 30 0 0 cm /X Do", "/XObject << /X 5 0 R >>", objects: [image])
        },
        Bomb("PDF, a thousand million tiles of a pattern", refusals, by: ways) {
            let pattern = PDFFile.stream(
                "0 0 1 1 re f",
                entries: "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.001 "
                    + "/YStep 0.001 /Resources << >>")
            return file("/Pattern cs /P scn 0 0 40 30 re f", "/Pattern << /P 5 0 R >>", objects: [pattern])
        },
        Bomb("PDF, pages that are each other's", refusals, by: ways) {
            Array(
                "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 9 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n"
                    .utf8)
        },
        Bomb("PDF, a hundred thousand dictionaries in each other", [], by: ways) {
            file("0 0 9 9 re f", "/A " + String(repeating: "<< /A ", count: 100_000))
        },
    ]
}
