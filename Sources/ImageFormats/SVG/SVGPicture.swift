#if SVG
internal import Raster

/// A document loaded in a separate `tessera-svg` process, and its image once rendered. The process ends with this
/// object.
final class SVGPicture: WholePicture {
    /// The longest side in pixels: cairo stores sides in 16 bits.
    private static let maximumSideLength = 32767
    /// The address space reserved for the libraries and fonts that librsvg loads.
    private static let libraryByteCount = 256 << 20

    let header: ImageHeader
    private let limits: DecodingLimits
    private let session: IsolatedSession
    private var info: BitmapInfo?

    /// Starts the worker and sends it the document.
    /// - Throws: `corrupt` if the bytes aren't an SVG document, `limitExceeded` if it needs too much time or memory,
    ///   `inputOutput` if no program is at `workerPath`.
    init(
        _ bytes: [UInt8], options: DecodingOptions, workerPath: String, processorSeconds: Int
    ) throws(ImageError) {
        limits = options.limits
        let (memory, overflows) = limits.maximumWorkingByteCount.addingReportingOverflow(Self.libraryByteCount)
        let worker = try DecodingWorkerProcess(
            workerPath, arguments: ["\(processorSeconds)", "\(overflows ? .max : memory)"],
            // Text needs fonts, and fontconfig its configuration.
            environment: ["HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_HOME"],
            processorSeconds: processorSeconds, seconds: 3 * processorSeconds + 10,
            // librsvg crashes when its memory runs out.
            crashCode: .limitExceeded)
        // The document may have any size; the limits apply to the rendered size.
        var options = options
        (options.limits.maximumSideLength, options.limits.maximumPixelCount) = (.max, .max)
        session = try IsolatedSession(
            worker,
            Request.Beginning(
                isAnimation: false, format: ImageFormat.svg.typeIdentifier, options: options,
                totalByteCount: bytes.count, suffix: []))
        try session.append(bytes.span.bytes)
        _ = try session.ask(.finish)
        guard let header = session.header, header.format == .svg else { throw session.refuse() }
        self.header = header
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        let size = plan.targetSize ?? plan.regionSize(of: header.storedSize)
        try limits.check(size, format: .svg)
        guard max(size.width, size.height) <= Self.maximumSideLength else {
            throw ImageError(
                .limitExceeded,
                "the SVG image would be \(size); librsvg draws at most \(Self.maximumSideLength) a side")
        }
        try limits.checkWorkingMemory(4 * size.pixelCount, for: "the SVG image")
        let info = BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied)
        guard try session.started(.start(plan, .last), within: size) == info else { throw session.refuse() }
        self.info = info
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let info else { throw ImageError(.invalidParameter, "the SVG decoder was not started") }
        switch try session.read(info, into: &rows) {
        case .rows(let count): return count
        case .end: return 0
        default: throw session.refuse()
        }
    }
}
#endif
