#if SVG
internal import Raster

/// A document loaded in a separate `tessera-svg` process, an SVG or a page of a PDF, and its image once rendered. The
/// process ends with this object.
final class DrawnPicture: WholePicture {
    /// The longest side in pixels: cairo stores sides in 16 bits.
    private static let maximumSideLength = 32767
    /// The address space reserved for the libraries and fonts that librsvg and poppler load.
    private static let libraryByteCount = 256 << 20

    let header: ImageHeader
    private let limits: DecodingLimits
    private let session: IsolatedSession
    private var info: BitmapInfo?

    /// Starts the worker and sends it the document.
    /// - Parameter page: The page of a PDF, from 0; nil for an SVG.
    /// - Throws: `corrupt` if the bytes aren't such a document, `limitExceeded` if it needs too much time or memory,
    ///   `inputOutput` if no program is at `workerPath`.
    init(
        _ bytes: [UInt8], _ format: ImageFormat, page: Int? = nil, options: DecodingOptions, workerPath: String,
        processorSeconds: Int
    ) throws(ImageError) {
        limits = options.limits
        let (memory, overflows) = limits.maximumWorkingByteCount.addingReportingOverflow(Self.libraryByteCount)
        let worker = try DecodingWorkerProcess(
            workerPath,
            arguments: ["\(processorSeconds)", "\(overflows ? .max : memory)"] + (page.map { ["\($0)"] } ?? []),
            // Text needs fonts, and fontconfig its configuration.
            environment: ["HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_HOME"],
            processorSeconds: processorSeconds, seconds: 3 * processorSeconds + 10,
            // librsvg and poppler crash when their memory runs out.
            crashCode: .limitExceeded)
        // The document may have any size; the limits apply to the rendered size.
        var options = options
        (options.limits.maximumSideLength, options.limits.maximumPixelCount) = (.max, .max)
        session = try IsolatedSession(
            worker,
            Request.Beginning(
                isAnimation: false, format: format.typeIdentifier, options: options,
                totalByteCount: bytes.count, suffix: []))
        try session.append(bytes.span.bytes)
        _ = try session.ask(.finish)
        guard let header = session.header, header.format == format else { throw session.refuse() }
        self.header = header
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        let size = plan.targetSize ?? plan.regionSize(of: header.storedSize)
        try limits.check(size, format: header.format)
        guard max(size.width, size.height) <= Self.maximumSideLength else {
            throw ImageError(
                .limitExceeded,
                "the \(header.format.name) image would be \(size); at most \(Self.maximumSideLength) a side are drawn")
        }
        try limits.checkWorkingMemory(4 * size.pixelCount, for: "the \(header.format.name) image")
        let info = BitmapInfo(size: size, format: .rgba8, alpha: header.hasAlpha ? .premultiplied : .none)
        guard try session.started(.start(plan, .last), within: size) == info else { throw session.refuse() }
        self.info = info
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let info else { throw ImageError(.invalidParameter, "the \(header.format.name) decoder was not started") }
        switch try session.read(info, into: &rows) {
        case .rows(let count): return count
        case .end: return 0
        default: throw session.refuse()
        }
    }
}
#endif
