#if SVG
internal import Raster

/// The program `tessera-svg`, which draws documents, and the time that it may take for one.
struct DrawingProgram: Sendable {
    /// Looked up once per process.
    private static let installedPath = InstalledProgram.path("tessera-svg", variable: "TESSERA_SVG_WORKER")

    let processorSeconds: Int
    /// nil if it wasn't found.
    let path: String?

    /// - Parameter path: nil to look it up.
    init(processorSeconds: Int, path: String?) {
        // Limited so that the timeouts computed from it don't overflow.
        self.processorSeconds = min(max(1, processorSeconds), 1 << 28)
        self.path = path ?? Self.installedPath
    }

    /// States that the program is missing and how to install it; nil if it is installed.
    func missingRequirement(for format: ImageFormat) -> String? {
        guard path == nil else { return nil }
        return "\(format.name) can't be drawn: the program tessera-svg isn't beside this one; install the package "
            + "tessera-svg, build the product of that name, or set TESSERA_SVG_WORKER to its path"
    }

    /// Makes a session that draws a document once all bytes have arrived.
    /// - Parameter page: The page of a PDF, from 0; nil for an SVG.
    func makeDecoder(
        _ format: ImageFormat, page: Int? = nil, options: DecodingOptions
    ) throws(ImageError) -> WholeInputDecoder {
        guard let path else { throw ImageError(.unsupported, missingRequirement(for: format)!) }
        let processorSeconds = processorSeconds
        return WholeInputDecoder(format, limits: options.limits) { (bytes) throws(ImageError) in
            try DrawnPicture(
                bytes, format, page: page, options: options, workerPath: path, processorSeconds: processorSeconds)
        }
    }

    /// The pixel buffer shared with the process, which has separate limits for everything else.
    func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 4, secondsPerMegapixel: 0.1, baseByteCount: 16 << 20)
    }
}
#endif
