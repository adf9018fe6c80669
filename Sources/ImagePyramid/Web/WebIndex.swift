public import ImageFormats
internal import JPEGBitstream
internal import JPNGContainer
internal import Raster

/// The index file of a JPEG on a web server, by which a browser shows the image without a server program.
///
/// It lies beside the image, named like it with ``suffix``. The browser reads small levels from it, and full-resolution
/// tiles from the image itself: byte ranges, whose positions are in the index's pages.
///
/// The file, little-endian:
///
/// | at | bytes | |
/// |---|---|---|
/// | 0 | 8 | `TESSERA1` |
/// | 8 | 4 | the head's length: everything before the first tile |
/// | 12 | 4 | pixels on a tile's side |
/// | 16 | 8 | the image's length in bytes |
/// | 24 | 8 | its stored width and height, 4 bytes each |
/// | 32 | 4 | its orientation, 1 to 8 |
/// | 36 | 4 | MCUs in a column of the index |
/// | 40 | 8 | the offset of its entropy-coded data |
/// | 48 | 4 | indexed rows of MCUs |
/// | 52 | 2 | rows of MCUs in a page |
/// | 54 | 2 | columns in a page of a JPEG of several scans; 0 for one scan, whose pages have all columns |
/// | 56 | 2 | the number of stored levels |
/// | 58 | 2 | the number of columns of a JPEG of several scans; 0 for one scan |
/// | 60 | 4 | the number of the first of them: the level's scale is 2 to this power |
/// | 64 | 16 | a JPNG's mask, its offset and its length in the image, 8 bytes each; else zeros |
/// | 80 | 8 | the length of the JPEG header for tiles, and of the segments inserted into each tile |
/// | 88 | | the JPEG header, the segments, zeros to a multiple of 4 |
/// | | | the offset of each tile, coarsest level first, row by row, and the end of the last |
/// | | | the offset of each page, and the end of the last |
///
/// The tiles follow, upright and in sRGB, and the pages, row by row: ``JPEGTileIndex/page(_:)``, or of a progressive JPEG the states of
/// its scans (`JPEGScanTileIndex`), whose header has all scans' headers.
public struct WebIndex: Sendable {
    /// The levels of an index, their quality, and limits on the image.
    public struct Options: Sendable {
        /// The finest stored level: 3 is an eighth of the image's size. 1 to 5; lower levels cost more bytes, and save the
        /// browser from reading full-resolution data for views between. If nil, the finest of at most 2048 pixels on a side, or
        /// an eighth if that is finer.
        public var firstLevel: Int?
        /// The quality of the stored levels, 0 to 1.
        public var quality: Double
        /// Limits on the image.
        public var limits: DecodingLimits

        /// Creates options, by default for levels that fill a screen.
        public init(firstLevel: Int? = nil, quality: Double = 0.75, limits: DecodingLimits = .largePictures) {
            self.firstLevel = firstLevel
            self.quality = quality
            self.limits = limits
        }
    }

    /// The suffix of an index file's name, appended to the image's.
    public static let suffix = ".tessera"

    /// The file's bytes.
    public let bytes: [UInt8]

    /// The tile size of stored levels in pixels.
    static let tileSize = 512
    /// The most pixels on a side of the finest level that is stored by default.
    private static let screenSide = 2048

    /// Makes the index of the JPEG or JPNG in `source`.
    ///
    /// The image is decoded once, in strips. Memory is bounded by the strips and the result.
    /// - Throws: `unsupported` for an image whose data can't be read from the middle, such as a JPEG with arithmetic coding; the
    ///   errors of decoding.
    public init(of source: Source, options: Options = Options()) throws(ImageError) {
        if let level = options.firstLevel, !(1...5 ~= level) {
            throw ImageError(.invalidParameter, "the first stored level is 1 to 5, not \(level)")
        }
        let positions = try WebIndexPositions(of: source, limits: options.limits)
        // Other codecs would apply a JPNG's mask.
        let codecs = CodecRegistry([JPEGCodec()])
        let picture = try PyramidSource(source, options: DecodingOptions(limits: options.limits), registry: codecs)
        guard let header = picture.header else { throw ImageError(.unknownFormat, "the image has no header") }
        let geometry = try PyramidGeometry(size: picture.size, tileSize: Self.tileSize)
        let fitting = geometry.levels.firstIndex { max($0.width, $0.height) <= Self.screenSide } ?? 3
        let sink = WebIndexTiles(
            geometry, TileEncoding(format: .jpeg, quality: options.quality),
            firstLevel: options.firstLevel ?? min(max(fitting, 1), 3))
        var builder = PyramidBuilder()
        builder.keepsGainMap = false
        builder.codecs = codecs
        try builder.build(picture, into: sink)
        bytes = try Self.file(
            positions, header: header, byteCount: source.length, mask: Self.mask(of: source), sink, options)
    }

    private static func mask(of source: Source) throws(ImageError) -> Range<Int64> {
        guard source.length >= JPNGFooter.size else { return 0..<0 }
        let tail = try source.bytes(JPNGFooter.size, at: source.length - JPNGFooter.size)
        let footer = try? JPNGFooter.read(tail: tail.span.bytes, totalLength: Int64(source.length))
        return footer?.maskRange ?? 0..<0
    }

    private static func file(
        _ positions: WebIndexPositions, header: ImageHeader, byteCount: Int, mask: Range<Int64>, _ sink: WebIndexTiles,
        _ options: Options
    ) throws(ImageError) -> [UInt8] {
        let layout = positions.layout
        let jpegHeader = positions.header
        let segments = segments(of: header)
        let (tiles, pages) = (sink.tiles, positions.pages)
        let padding = -(jpegHeader.count + segments.count) & 3
        let headByteCount =
            88 + jpegHeader.count + segments.count + padding + 4 * (tiles.count + 1) + 4 * (pages.count + 1)

        var output = Array("TESSERA1".utf8)
        output.append(number: headByteCount, byteCount: 4)
        output.append(number: tileSize, byteCount: 4)
        output.append(number: byteCount, byteCount: 8)
        output.append(number: layout.width, byteCount: 4)
        output.append(number: layout.height, byteCount: 4)
        output.append(number: Int(header.metadata.orientation.rawValue), byteCount: 4)
        output.append(number: layout.mcusPerColumn, byteCount: 4)
        output.append(number: layout.dataOffset, byteCount: 8)
        output.append(number: positions.rowCount, byteCount: 4)
        output.append(number: positions.rowsPerPage, byteCount: 2)
        output.append(number: positions.columnsPerPage, byteCount: 2)
        output.append(number: sink.levels.count, byteCount: 2)
        output.append(number: positions.columnCount, byteCount: 2)
        output.append(number: sink.levels.first ?? 0, byteCount: 4)
        output.append(number: Int(mask.lowerBound), byteCount: 8)
        output.append(number: mask.count, byteCount: 8)
        output.append(number: jpegHeader.count, byteCount: 4)
        output.append(number: segments.count, byteCount: 4)
        output += jpegHeader + segments
        output.append(number: 0, byteCount: padding)
        var place = headByteCount
        for parts in [tiles, pages] {
            for part in parts {
                output.append(number: place, byteCount: 4)
                place += part.count
            }
            output.append(number: place, byteCount: 4)
        }
        guard place <= Int(UInt32.max) else {
            throw ImageError(.limitExceeded, "the index would have more than 4 GB; store fewer levels")
        }
        output.reserveCapacity(place)
        for part in tiles + pages { output += part }
        return output
    }

    /// The segments for full-resolution tiles: those of the colour profile.
    private static func segments(of header: ImageHeader) -> [UInt8] {
        var segments: [UInt8] = []
        guard case .icc(let profile) = header.profile else { return segments }
        // ICC.1:2010, B.4.
        let pieceByteCount = 65519
        let count = (profile.count + pieceByteCount - 1) / pieceByteCount
        guard count <= 255 else { return segments }
        for number in 0..<count {
            let piece = profile[number * pieceByteCount..<min((number + 1) * pieceByteCount, profile.count)]
            let length = piece.count + 16
            segments += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + "ICC_PROFILE\0".utf8
            segments += [UInt8(number + 1), UInt8(count)] + piece
        }
        return segments
    }
}

extension [UInt8] {
    /// Appends the lowest bytes of a number, the lowest first.
    fileprivate mutating func append(number: Int, byteCount: Int) {
        for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
