public import ImageFormats
public import Raster

/// An image to build a pyramid from, with its header read; the geometry needs its size.
///
/// A source can be used for one build only.
public final class PyramidSource {
    /// The file's header; nil for rows.
    public let header: ImageHeader?
    /// The width and height when upright.
    public let size: PixelSize
    /// The orientation to apply to stored rows.
    public let orientation: Orientation

    private enum Content {
        case bytes(Source, DecodingOptions, CodecRegistry)
        case rows(any RowSource)
    }

    private let content: Content

    /// Opens the image in the file at `path`.
    /// - Throws: `inputOutput`, otherwise as `init(_:options:registry:)`.
    public convenience init(
        path: String, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(Source(path: path), options: options, registry: registry)
    }

    /// Opens the image in `source`.
    ///
    /// By default colours are converted to sRGB and rows turned upright; channels always have 8 bits, and standard range. A stream is read
    /// entirely first, because bytes that begin as a JPEG may end as a JPNG.
    /// - Throws: `unknownFormat`; `truncated`, `corrupt` or `limitExceeded` for the header.
    public init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        var options = options
        (options.maximumBitsPerChannel, options.dynamicRange) = (8, .standard)
        let source =
            source.isStream
            ? Source(try source.bytes(limit: options.limits.maximumInputByteCount), name: source.name) : source
        let header = try ImageSource.header(of: source, options: options, registry: registry)
        self.header = header
        orientation = options.appliedOrientation(of: header)
        size = orientation.applied(to: header.storedSize)
        options.appliesOrientation = false
        content = .bytes(source, options, registry)
    }

    /// Creates a source of the rows in `rows`, stored in `orientation`.
    public init(_ rows: any RowSource, orientation: Orientation = .up) {
        header = nil
        self.orientation = orientation
        size = orientation.applied(to: rows.info.size)
        content = .rows(rows)
    }

    /// The image's gain map, upright; nil if it has none that can be used.
    var gainMap: GainMap? {
        guard case .bytes(let source, let options, let registry) = content, let header,
            let map = try? ImageSource.gainMap(in: source, header: header, options: options, registry: registry)
        else { return nil }
        return map.oriented(by: orientation)
    }

    /// Begins to decode, in the best way for tiles of `encoding`.
    func open(for encoding: TileEncoding, averagesLight: Bool) throws(ImageError) -> PyramidRows {
        switch content {
        case .rows(let rows):
            return try .pixels(rows, for: encoding, averagesLight: averagesLight)
        case .bytes(let source, let options, let registry):
            let codec = header.flatMap { registry.codec(for: $0.format) }
            if encoding.format == .jpeg, !averagesLight, let codec = codec as? any PlaneDecoding, let header,
                try header.mayHavePlanes(options)
            {
                do throws(ImageError) {
                    let bytes = source.reader()
                    let planes = try codec.makePlanes(of: bytes, options: options)
                    let rows = PyramidRows.planes(planes, bytes, size: size, orientation: orientation)
                    if let rows { return rows }
                } catch  where error.code == .unsupported {
                    // A JPEG in RGB or CMYK is decoded to pixels.
                }
            }
            let canCopy = encoding.format == .jpeg && codec is any TileAddressable
            guard canCopy, let segments = try header?.copiedTileSegments(options) else {
                let rows = try ImageRowSource(source, options: options, registry: registry)
                return try .pixels(rows, for: encoding, averagesLight: averagesLight, end: rows)
            }
            let bytes = source.reader()
            let rows = try ImageRowSource(bytes, options: options, registry: registry)
            return try .pixels(
                rows, for: encoding, averagesLight: averagesLight, end: rows, copying: (bytes, segments))
        }
    }
}

extension ImageHeader {
    /// Returns the segments with which copied tiles have the same colours as encoded ones; nil if tiles can't be
    /// copied.
    fileprivate func copiedTileSegments(_ options: DecodingOptions) throws(ImageError) -> [UInt8]? {
        guard format == .jpeg, options.imageIndex == nil, options.color == .sRGB, !isProgressive else { return nil }
        return try JPEGTileProfile.segments(of: self)
    }

    /// Returns whether this is a JPEG, but not a JPNG, whose colours are sRGB or aren't converted.
    fileprivate func mayHavePlanes(_ options: DecodingOptions) throws(ImageError) -> Bool {
        guard format == .jpeg, options.imageIndex == nil, colorModel != .cmyk else { return false }
        let info = BitmapInfo(
            size: storedSize, format: colorModel == .gray ? .gray8 : .rgba8, profile: profile)
        if profile == .sRGB { return true }
        guard options.color == .sRGB else { return false }
        return try ColorConverter(from: info) == nil
    }
}
