internal import Raster

/// A picture in a file that can only be read when all of it is there.
protocol WholePicture: AnyObject {
    /// What the file says of the picture that the options ask for.
    var header: ImageHeader { get }

    /// As `IncrementalDecoder.start`.
    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo

    /// Fills `rows`, from its first row on, with the rows that come next.
    /// - Returns: How many; 0 after the last row.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int
}

/// The session for a format whose files are read here and there, such as TIFF and HEIF: it collects all bytes, then
/// reads rows. A picture that reads its file by itself needs none appended.
final class WholeInputDecoder: IncrementalDecoder {
    private let format: ImageFormat
    private let limits: DecodingLimits
    private let open: (consuming [UInt8]) throws(ImageError) -> any WholePicture
    private var picture: (any WholePicture)?
    private var bytes: [UInt8] = []

    /// A session for a picture that is open already.
    convenience init(_ picture: any WholePicture, limits: DecodingLimits) {
        self.init(picture.header.format, limits: limits) { _ in picture }
        self.picture = picture
    }

    /// A session that gives all bytes to `open` once they are there.
    init(
        _ format: ImageFormat, limits: DecodingLimits,
        open: @escaping (consuming [UInt8]) throws(ImageError) -> any WholePicture
    ) {
        self.format = format
        self.limits = limits
        self.open = open
    }

    var header: ImageHeader? { picture?.header }

    func append(_ piece: RawSpan) throws(ImageError) {
        guard picture == nil else { return }
        try limits.checkInput(bytes.count + piece.byteCount, format: format)
        // Used within the call only.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    func finish() throws(ImageError) {
        guard picture == nil else { return }
        var all: [UInt8] = []
        swap(&all, &bytes)
        picture = try open(all)
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let picture else { throw ImageError(.invalidParameter, "the \(format) header isn't known yet") }
        try plan.validate(for: picture.header.storedSize)
        return try picture.start(plan)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let picture else { throw ImageError(.invalidParameter, "the \(format) decoder was not started") }
        let count = try picture.read(into: &rows)
        return count > 0 ? .rows(count) : .end
    }
}

/// A picture that its library decodes in one go: all pixels when the first row is asked for.
final class BitmapPicture: WholePicture {
    let header: ImageHeader
    private let info: BitmapInfo
    private let decode: () throws(ImageError) -> Bitmap
    private var rows: (any RowSource)?
    private var region: PixelRect?

    /// A picture of `info`'s kind in full, made by `decode`.
    init(_ header: ImageHeader, _ info: BitmapInfo, decode: @escaping () throws(ImageError) -> Bitmap) {
        self.header = header
        self.info = info
        self.decode = decode
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        region = plan.region
        var info = info
        info.size = plan.regionSize(of: info.size)
        return info
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> Int {
        if rows == nil {
            rows = try decode().cropped(to: region ?? PixelRect(info.size)).makeRowSource()
        }
        return try rows!.read(into: &target)
    }
}
