internal import CTesseraJPEG
public import Raster

/// A JPEG's planes as the file samples them, a strip of rows at a time: no upsampling, no conversion to RGB.
///
/// For work that ends in a JPEG again, or that is cheaper before the planes are joined. Rows are as stored, not turned;
/// the colours are the file's.
///
/// ```swift
/// let source = try JPEGPlanarSource(ByteArraySource(bytes), eighths: 1)
/// var strip = source.makeStrip()
/// while try source.read(into: &strip) { use(strip) }
/// ```
public final class JPEGPlanarSource {
    /// What the file says of the picture.
    public let header: ImageHeader
    /// Width and height of the planes together, at the scale asked for.
    public let size: PixelSize

    private let decoder: JPEGDecoder
    private let bytes: any ByteSource
    private let shape: tessera_jpeg_output
    private var nextRow = 0
    private var isFinished = false

    /// Reads the header and prepares to decode at `eighths` of the stored size, 1 to 8.
    /// - Throws: `unsupported` for a picture whose components aren't grey or Y, Cb and Cr; `invalidParameter` for another
    ///   scale; otherwise as any JPEG session.
    public init(
        _ bytes: any ByteSource, eighths: Int = 8, options: DecodingOptions = DecodingOptions()
    ) throws(ImageError) {
        guard (1...8).contains(eighths) else {
            throw ImageError(.invalidParameter, "a scale of \(eighths)/8 is not between 1/8 and 8/8")
        }
        decoder = try JPEGDecoder(options: options)
        self.bytes = bytes
        while decoder.header == nil {
            if try !Self.appendNext(of: bytes, to: decoder) {
                isFinished = true
                break
            }
        }
        guard let header = decoder.header else { throw ImageError(.truncated, "the JPEG ends before its header does") }
        self.header = header
        shape = try decoder.startPlanes(eighths: eighths)
        size = PixelSize(width: Int(shape.width), height: Int(shape.height))
    }

    /// An empty strip of the right shape, to be filled again and again.
    public func makeStrip() -> PlanarStrip {
        var planes: [PlanarStrip.Plane] = []
        let counts = [shape.plane_width.0, shape.plane_width.1, shape.plane_width.2]
        let heights = [shape.plane_strip_height.0, shape.plane_strip_height.1, shape.plane_strip_height.2]
        let strides = [shape.plane_stride.0, shape.plane_stride.1, shape.plane_stride.2]
        for index in 0..<Int(shape.planes) {
            planes.append(
                PlanarStrip.Plane(
                    width: Int(counts[index]), height: Int(heights[index]), stride: Int(strides[index])))
        }
        return PlanarStrip(planes: planes)
    }

    /// Fills `strip`, a result of `makeStrip()`, with the rows that come next; false after the last.
    /// - Throws: `truncated` or `corrupt` for what keeps the rows from being made; `invalidParameter` for another strip.
    public func read(into strip: inout PlanarStrip) throws(ImageError) -> Bool {
        guard strip.planes.count == Int(shape.planes), strip.isShaped(like: makeStrip()) else {
            throw ImageError(.invalidParameter, "a strip that this source didn't make")
        }
        guard nextRow < size.height else { return false }
        while true {
            let count = try decoder.readStrip(into: &strip)
            if count > 0 {
                strip.firstRow = nextRow
                strip.rowCount = count
                nextRow += count
                return true
            }
            guard !isFinished else { throw ImageError(.truncated, "the JPEG ends too early") }
            isFinished = try !Self.appendNext(of: bytes, to: decoder)
        }
    }

    /// Feeds the decoder with the next bytes, or tells it that there are no more: then false.
    private static func appendNext(of bytes: any ByteSource, to decoder: JPEGDecoder) throws(ImageError) -> Bool {
        let more = try bytes.nextBytes { (piece) throws(ImageError) in try decoder.append(piece) }
        if !more { try decoder.finish() }
        return more
    }
}

extension PlanarStrip {
    fileprivate func isShaped(like other: PlanarStrip) -> Bool {
        zip(planes, other.planes).allSatisfy {
            $0.width == $1.width && $0.height == $1.height && $0.stride == $1.stride
                && $0.samples.count == $1.samples.count
        }
    }
}
