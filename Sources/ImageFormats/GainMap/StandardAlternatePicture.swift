internal import Raster

/// A base in high dynamic range whose rows become the file's rendition in standard range.
final class StandardAlternatePicture: WholePicture {
    private let base: any WholePicture
    private let alternate: StandardAlternate
    private let options: DecodingOptions
    private var started: (plan: DecodingPlan, info: BitmapInfo)?
    private var rows: (any RowSource)?

    private init(_ base: any WholePicture, _ alternate: StandardAlternate, _ options: DecodingOptions) {
        (self.base, self.alternate, self.options) = (base, alternate, options)
    }

    /// Opens the image in `file`, and its rendition in standard range instead if the options ask for that and the file has
    /// one.
    /// - Parameter open: Opens the image with other options.
    static func picture(
        in file: [UInt8], of codec: any GainMapReading, options: DecodingOptions,
        open: (DecodingOptions) throws(ImageError) -> any WholePicture
    ) throws(ImageError) -> any WholePicture {
        let picture = try open(options)
        guard let alternate = try StandardAlternate(picture.header, in: Source(file), of: codec, options: options)
        else { return picture }
        let baseOptions = StandardAlternate.baseOptions(options)
        let base = baseOptions == options || picture.header.bitsPerChannel <= 8 ? picture : try open(baseOptions)
        return StandardAlternatePicture(base, alternate, options)
    }

    var header: ImageHeader { base.header }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        let info = try base.start(plan)
        started = (plan, info)
        return StandardAlternate.info(of: info, options: options)
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> Int {
        if let rows { return try rows.read(into: &target) }
        guard let (plan, info) = started else {
            throw ImageError(.invalidParameter, "the \(header.format) decoder was not started")
        }
        let made = try StandardAlternate.rows(
            of: WholePictureRows(base, info), by: alternate, plan: plan, size: header.storedSize, options: options)
        rows = made
        return try made.read(into: &target)
    }
}
