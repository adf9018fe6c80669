#if SVG
public import Raster

/// Decodes a page of a PDF (ISO 32000, as implemented by poppler), rendered at the requested size on white paper.
///
/// `DecodingOptions.imageIndex` chooses the page, the first without; a page's own size is in pixels of 1/72 inch. Colours
/// are sRGB. Forms and annotations are drawn as they are printed; scripts don't run.
///
/// The program `tessera-svg` renders in a process that can reach neither the network nor any file but fonts, within limits
/// on processor time and memory; see ``SVGCodec`` for where it is looked up. It loads poppler (version 8 of libpoppler-glib),
/// without which PDFs are `unsupported`.
public struct PDFCodec: ImageCodec, SelfIsolating {
    private let program: DrawingProgram

    /// Creates a codec.
    /// - Parameters:
    ///   - processorSeconds: The processor time that one page may use, at least 1.
    ///   - workerPath: The path of the program `tessera-svg`; nil to look it up.
    public init(processorSeconds: Int = 10, workerPath: String? = nil) {
        program = DrawingProgram(processorSeconds: processorSeconds, path: workerPath)
    }

    /// The PDF format.
    public var format: ImageFormat { .pdf }
    /// Decodes at any size; empty if `tessera-svg` isn't installed.
    public var capabilities: ImageCapabilities { program.path == nil ? [] : [.decode, .scaledDecoding, .vector] }

    /// States that the program `tessera-svg` is missing and how to install it; nil if it is installed.
    public var missingRequirement: String? { program.missingRequirement(for: format) }

    /// Matches the signature "%PDF-".
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { probe.match(.pdf) }

    /// Makes a session that renders once all bytes have arrived.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        let page = options.imageIndex ?? 0
        guard 0...Int(Int32.max) ~= page else {
            throw ImageError(.invalidParameter, "a PDF has no page with the index \(page)")
        }
        return try program.makeDecoder(.pdf, page: page, options: options)
    }

    /// The pixel buffer shared with the worker process; the worker has separate limits for everything else.
    public func decodingCost(of header: ImageHeader) -> CodingCost { program.decodingCost(of: header) }
}
#endif
