internal import CTessera
internal import ImageFormats
internal import Raster

/// A part of an image at a size, in a pixel format.
struct PixelSelection {
    private let handle: ImageHandle
    private var region: PixelRect?
    /// The result's size.
    private(set) var size: PixelSize

    /// The whole image at its own size.
    init(of handle: ImageHandle) {
        self.handle = handle
        size = handle.image.size
    }

    /// The selection in `options`.
    /// - Throws: A failure for a region outside of the image, and for sizes that are negative or half zero.
    init(of handle: ImageHandle, _ options: tessera_decode_options) throws {
        self.init(of: handle)
        let region = PixelRect(
            x: Int(options.x), y: Int(options.y), width: Int(options.width), height: Int(options.height))
        if region != PixelRect(x: 0, y: 0, width: 0, height: 0) {
            try DecodingPlan(region: region).validate(for: handle.image.size)
            self.region = region
            size = region.size
        }
        let target = PixelSize(width: Int(options.target_width), height: Int(options.target_height))
        guard target != PixelSize(width: 0, height: 0) else { return }
        try DecodingPlan(targetSize: target).validate(for: handle.image.size)
        if options.fits != 0 { fit(target) } else { size = target }
    }

    /// Reduces the result to fit `box`.
    mutating func fit(_ box: PixelSize) {
        size = (region?.size ?? handle.image.size).fitted(within: box, enlarges: handle.image.isVector)
    }

    /// Passes the rows to `body`, upright, in the image's own pixel format.
    func withRows<R>(
        _ progress: ProgressCallback?, _ body: (any RowSource) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let image = handle.image
        let part = region?.size ?? image.size
        let plan = DecodingPlan(region: region, targetSize: size == part ? nil : size)
        guard !image.isDecoded, let encoded = handle.encoded else {
            let decoded = try image.bitmap(for: plan)
            let coverage = plan.coverage(of: image.size, decodedAs: decoded.size, orientation: image.decodedOrientation)
            return try body(
                ProgressCallback.observe(scaled(decoded.makeRowSource(), coverage: coverage), progress))
        }
        return try encoded.withRows(plan) { (rows) throws(ImageError) in
            try body(scaled(ProgressCallback.observe(rows, progress), coverage: rows.coverage))
        }
    }

    private func scaled(_ rows: any RowSource, coverage: PixelRegion) throws(ImageError) -> any RowSource {
        rows.info.size == size ? rows : try ResamplingRowSource(rows, to: size, region: coverage)
    }
}
