public import ImageFormats
public import Raster

/// A picture that a pyramid is to be made of, its header read: the geometry needs its size.
///
/// A source is used up by the build.
public final class PyramidSource {
    /// What the file says of the picture; nil for rows.
    public let header: ImageHeader?
    /// Width and height once upright.
    public let size: PixelSize
    /// How the rows have to be turned.
    public let orientation: Orientation

    private enum Content {
        case bytes(Source, DecodingOptions, CodecRegistry)
        case rows(any RowSource)
    }

    private let content: Content

    /// The picture in the file at `path`.
    /// - Throws: `inputOutput`, and as `init(_:options:registry:)`.
    public convenience init(
        path: String, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(Source(path: path), options: options, registry: registry)
    }

    /// The picture in `source`.
    ///
    /// Colours become sRGB of 8 bits and rows upright, unless the options say otherwise. Where nobody knows how many bytes
    /// there are, all are read first: what begins as a JPEG may end as a JPNG.
    /// - Throws: `unknownFormat`; `truncated`, `corrupt` or `limitExceeded` for what the header says.
    public init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        var options = options
        options.maximumBitsPerChannel = 8
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

    /// The picture whose rows `rows` delivers, stored in `orientation`.
    public init(_ rows: any RowSource, orientation: Orientation = .up) {
        header = nil
        self.orientation = orientation
        size = orientation.applied(to: rows.info.size)
        content = .rows(rows)
    }

    /// Begins to decode, in the way that is best for tiles of `encoding`.
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
                    let bytes = ObservedReader(source)
                    let planes = try codec.makePlanes(of: bytes, options: options)
                    let rows = PyramidRows.planes(planes, bytes, size: size, orientation: orientation)
                    if let rows { return rows }
                } catch  where error.code == .unsupported {
                    // A JPEG of RGB or inks: as pixels.
                }
            }
            let canCopy = encoding.format == .jpeg && codec is any TileAddressable
            guard canCopy, let segments = try header?.copiedTileSegments(options) else {
                let rows = try ImageRowSource(source, options: options, registry: registry)
                return try .pixels(rows, for: encoding, averagesLight: averagesLight, end: rows)
            }
            let bytes = ObservedReader(source)
            let rows = try ImageRowSource(bytes, options: options, registry: registry)
            return try .pixels(
                rows, for: encoding, averagesLight: averagesLight, end: rows, copying: (bytes, segments))
        }
    }
}

extension ImageHeader {
    /// What tiles copied from its bits need to show the colours of those that are made of its pixels; nil where they can't.
    fileprivate func copiedTileSegments(_ options: DecodingOptions) throws(ImageError) -> [UInt8]? {
        guard format == .jpeg, options.imageIndex == nil, options.color == .sRGB, !isProgressive else { return nil }
        return try JPEGTileProfile.segments(of: self)
    }

    /// Whether it is that of a JPEG, and no JPNG, whose colours are sRGB's or aren't to be converted.
    fileprivate func mayHavePlanes(_ options: DecodingOptions) throws(ImageError) -> Bool {
        guard format == .jpeg, options.imageIndex == nil, colorModel != .cmyk else { return false }
        let info = BitmapInfo(
            size: storedSize, format: colorModel == .gray ? .gray8 : .rgba8, profile: profile)
        if profile == .sRGB { return true }
        guard options.color == .sRGB else { return false }
        return try ColorConverter(from: info) == nil
    }
}
