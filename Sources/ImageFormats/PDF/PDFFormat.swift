extension ImageFormat {
    /// PDF, of which a page is read.
    public static let pdf = ImageFormat(
        typeIdentifier: "com.adobe.pdf", name: "PDF", mimeTypes: ["application/pdf"], filenameExtensions: ["pdf"],
        signatures: [Array("%PDF-".utf8)])
}

extension BuiltInFormat {
    /// PDF, drawn by the program that draws SVG; known only by name in a build without the SVG trait.
    static let pdf = BuiltInFormat(.pdf) { _ in
        #if SVG
        return PDFCodec()
        #else
        return nil
        #endif
    }
}
