#if SVG
internal import Raster

/// A document that the worker has parsed, and its picture once it is asked for.
final class SVGPicture: WholePicture {
    let header: ImageHeader
    private let limits: DecodingLimits
    private let worker: SVGWorker
    private var view: SVGView?
    private var pixels: SVGPixels?
    private var nextRow = 0

    init(
        _ bytes: [UInt8], options: DecodingOptions, workerPath: String, processorSeconds: Int
    ) throws(ImageError) {
        limits = options.limits
        worker = try SVGWorker(bytes, path: workerPath, limits: options.limits, processorSeconds: processorSeconds)
        let (width, height) = (worker.width.rounded(.up), worker.height.rounded(.up))
        // Larger than any limit, and still an integer.
        guard width >= 1, height >= 1, max(width, height) < 0x8000_0000 else {
            throw ImageError(.corrupt, "the SVG document's size is \(worker.width) by \(worker.height) pixels")
        }
        header = ImageHeader(
            format: .svg, storedSize: PixelSize(width: Int(width), height: Int(height)), colorModel: .rgb,
            hasAlpha: true)
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        let region = plan.region ?? PixelRect(header.storedSize)
        let size = plan.targetSize ?? region.size
        try limits.check(size, format: .svg)
        guard max(size.width, size.height) <= SVGWorker.maximumSideLength else {
            throw ImageError(
                .limitExceeded,
                "the SVG picture would be \(size); librsvg draws at most \(SVGWorker.maximumSideLength) a side")
        }
        try limits.checkWorkingMemory(4 * size.pixelCount, for: "the SVG picture")
        let scaleX = Double(size.width) / Double(region.width)
        let scaleY = Double(size.height) / Double(region.height)
        view = SVGView(
            width: worker.width * scaleX, height: worker.height * scaleY, x: Double(region.x) * scaleX,
            y: Double(region.y) * scaleY, size: size)
        return BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let view else { throw ImageError(.invalidParameter, "the SVG decoder was not started") }
        let drawn: SVGPixels
        if let pixels { drawn = pixels } else { drawn = try worker.draw(view) }
        pixels = drawn
        let count = min(rows.count, view.size.height - nextRow)
        for y in 0..<max(0, count) { drawn.copyRow(nextRow + y, to: rows.row(y, as: RGBA8.self)) }
        nextRow += count
        return count
    }
}
#endif
