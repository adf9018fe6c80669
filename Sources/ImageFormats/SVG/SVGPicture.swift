#if SVG
internal import Raster

/// A document in a worker of its own, the program `tessera-svg`, and its picture once it is asked for. The worker ends with
/// this object.
final class SVGPicture: WholePicture {
    /// Pixels on one side, at most: cairo counts them in 16 bits.
    private static let maximumSideLength = 32767
    /// Address space for the libraries and fonts that librsvg loads.
    private static let libraryByteCount = 256 << 20

    let header: ImageHeader
    private let limits: DecodingLimits
    private let session: IsolatedSession
    private var info: BitmapInfo?

    /// Starts the worker and gives it the document.
    /// - Throws: `corrupt` for what isn't an SVG document, `limitExceeded` for one that takes more time or memory than it
    ///   may, `inputOutput` where no such program is at `workerPath`.
    init(
        _ bytes: [UInt8], options: DecodingOptions, workerPath: String, processorSeconds: Int
    ) throws(ImageError) {
        limits = options.limits
        let (memory, overflows) = limits.maximumWorkingByteCount.addingReportingOverflow(Self.libraryByteCount)
        let worker = try DecodingWorkerProcess(
            workerPath, arguments: ["\(processorSeconds)", "\(overflows ? .max : memory)"],
            // The document's text needs fonts, and fonts their configuration.
            environment: ["HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_HOME"],
            processorSeconds: processorSeconds, seconds: 3 * processorSeconds + 10,
            // What librsvg does where its memory ends.
            crashCode: .limitExceeded)
        // The document's own size may be any. What is drawn is held to the limits.
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
                "the SVG picture would be \(size); librsvg draws at most \(Self.maximumSideLength) a side")
        }
        try limits.checkWorkingMemory(4 * size.pixelCount, for: "the SVG picture")
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
