import ImageFormats
import Raster

extension FuzzTarget {
    /// A document, drawn by `tessera-svg`, a process for each: whatever becomes of that one, this one has an answer, and
    /// a picture has the size that was asked for.
    static let svg = FuzzTarget(
        name: "svg", seedExtensions: ["svg"],
        seeds: {
            [
                ##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="20" height="9" rx="3" fill="#f80"/></svg>"##,
                ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 7"><defs><g id="a"><path d="M0 0L9 7Z"/></g></defs><use href="#a"/></svg>"##,
                #"<svg xmlns="http://www.w3.org/2000/svg"><filter id="f"><feGaussianBlur stdDeviation="2"/></filter><text filter="url(#f)">a</text></svg>"#,
                #"<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"><style>rect{fill:red}</style><text>&a;</text></svg>"#,
            ].map { Array($0.utf8) }
        }
    ) { input in
        draw(input, by: SVGCodec(processorSeconds: 1))
    }

    /// A page of a PDF, as above.
    static let pdf = FuzzTarget(
        name: "pdf", seedExtensions: ["pdf"],
        seeds: {
            // Without the table of objects, which is found by reading.
            [
                "0 0.5 0 rg 0 0 m 20 0 l 10 16 l f", "BT /F 9 Tf 2 4 Td (abc) Tj ET",
                "q 9 0 0 9 2 2 cm BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI Q", "/S sh",
            ].map { content in
                Array(
                    """
                    %PDF-1.4
                    1 0 obj
                    << /Type /Catalog /Pages 2 0 R >>
                    endobj
                    2 0 obj
                    << /Type /Pages /Kids [3 0 R] /Count 1 >>
                    endobj
                    3 0 obj
                    << /Type /Page /Parent 2 0 R /MediaBox [0 0 20 20] /Contents 4 0 R /Resources << /Font << /F << /Type /Font \
                    /Subtype /Type1 /BaseFont /Helvetica >> >> /Shading << /S << /ShadingType 2 /ColorSpace /DeviceRGB /Coords \
                    [0 0 9 9] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1 >> >> >> >> >>
                    endobj
                    4 0 obj
                    << /Length \(content.utf8.count) >>
                    stream
                    \(content)
                    endstream
                    endobj
                    trailer
                    << /Size 5 /Root 1 0 R >>

                    """.utf8)
            }
        }
    ) { input in
        draw(input, by: PDFCodec(processorSeconds: 1))
    }

    private static func draw(_ input: [UInt8], by codec: any ImageCodec) {
        let options = DecodingOptions(
            limits: DecodingLimits(
                maximumPixelCount: 1 << 16, maximumSideLength: 1 << 12, maximumInputByteCount: 1 << 20,
                maximumWorkingByteCount: 1 << 28, maximumMetadataByteCount: 1 << 18, maximumScanCount: 20,
                maximumFrameCount: 100, maximumCompressionRatio: 10_000))
        let plan = DecodingPlan(targetSize: PixelSize(width: 20, height: 20))
        guard
            let picture = try? ImageSource.decode(
                input, plan: plan, options: options, registry: CodecRegistry([codec]))
        else { return }
        precondition(picture.bitmap.size.pixelCount <= 1 << 16)
    }
}
