internal import Raster

/// An image in a file that can only be read once all of it has arrived.
protocol WholePicture: AnyObject {
    /// The header of the image that the options select.
    var header: ImageHeader { get }

    /// Prepares to decode, as `IncrementalDecoder.start(_:delivery:)` does.
    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo

    /// Fills `rows`, from its first row on, with the next rows.
    /// - Returns: The number of rows; 0 after the last.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int
}

/// A decoder for formats that need random access, such as TIFF and HEIF: it buffers all bytes, then reads rows. An
/// image that reads its file directly needs no bytes.
final class WholeInputDecoder: IncrementalDecoder {
    private let format: ImageFormat
    private let limits: DecodingLimits
    private let open: (consuming [UInt8]) throws(ImageError) -> any WholePicture
    private var picture: (any WholePicture)?
    private var bytes: [UInt8] = []

    /// Creates a decoder for an image that is already open.
    convenience init(_ picture: any WholePicture, limits: DecodingLimits) {
        self.init(picture.header.format, limits: limits) { _ in picture }
        self.picture = picture
    }

    /// Creates a decoder that passes all bytes to `open` once they have arrived.
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
        // The pointer is used within the call only.
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

/// An image that its library decodes in one call, when the first row is requested.
final class BitmapPicture: WholePicture {
    let header: ImageHeader
    private let info: BitmapInfo
    private let decode: () throws(ImageError) -> Bitmap
    private var rows: (any RowSource)?
    private var region: PixelRect?

    /// Creates an image whose pixels `decode` returns in full, in the format and size of `info`.
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
