internal import Raster

/// An image of linear light, which is decoded as a whole when its part is known: the brightest pixel decides how the
/// others are compressed.
final class LightPicture: WholePicture {
    let header: ImageHeader
    private let options: DecodingOptions
    private let primaries: ColorProfile
    private let decode: (PixelRect, inout LightCanvas) throws(ImageError) -> Void
    private var rows: (any RowSource)?
    private var rowsLeft = 0
    private var failure: ImageError?

    /// Creates an image whose light is in the primaries of a profile.
    /// - Parameter decode: Stores the rows of a part, from the top, until one can't be decoded.
    init(
        _ header: ImageHeader, primaries: ColorProfile, options: DecodingOptions,
        decode: @escaping (PixelRect, inout LightCanvas) throws(ImageError) -> Void
    ) {
        self.header = header
        self.primaries = primaries
        self.options = options
        self.decode = decode
    }

    /// Returns the header of an image of linear light.
    static func header(
        _ format: ImageFormat, _ size: PixelSize, hasAlpha: Bool, metadata: ImageMetadata = ImageMetadata()
    ) -> ImageHeader {
        ImageHeader(
            format: format, storedSize: size, colorModel: .rgb, bitsPerChannel: 16, hasAlpha: hasAlpha,
            profile: LightCanvas.profile(peak: nil), metadata: metadata)
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        let part = plan.region ?? PixelRect(header.storedSize)
        let isDeep = options.maximumBitsPerChannel > 8
        try options.limits.checkWorkingMemory(
            part.size.pixelCount * (isDeep ? 8 : 12), for: "the pixels of the \(header.format) image")
        var canvas = try LightCanvas(part.size, primaries: primaries, hasAlpha: header.hasAlpha)
        do throws(ImageError) {
            try decode(part, &canvas)
        } catch {
            guard canvas.rowCount > 0 else { throw error }
            failure = error
        }
        rowsLeft = canvas.rowCount
        let peak = canvas.peak
        var stored = canvas.bitmap.info
        stored.profile = LightCanvas.profile(peak: peak)
        guard !isDeep else {
            rows = canvas.bitmap.freeze().makeRowSource()
            return stored
        }
        // Eight bits of PQ show steps: the pixels are converted before they are rounded.
        let count = rowsLeft
        var bitmap = canvas.bitmap
        if let converter = try options.converter(for: stored) {
            bitmap.withMutableRows(0..<count) { converter.convert(&$0) }
        }
        let decoded = try bitmap.freeze().cropped(to: PixelRect(x: 0, y: 0, width: part.width, height: count))
        rows = try decoded.converted(to: .rgba8).makeRowSource()
        var delivered = options.delivered(stored)
        delivered.format = .rgba8
        return delivered
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let rows else {
            throw ImageError(.invalidParameter, "the \(header.format) decoder was not started")
        }
        guard rowsLeft > 0 else {
            if let failure { throw failure }
            return 0
        }
        var some = target.extracting(0..<min(target.count, rowsLeft))
        let count = try rows.read(into: &some)
        rowsLeft -= count
        return count
    }
}
