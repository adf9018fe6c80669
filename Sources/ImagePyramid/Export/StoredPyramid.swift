public import ImageFormats
internal import Raster

/// A pyramid that was made and can be read, whatever it lies in.
public protocol StoredPyramid: Sendable {
    /// How the picture is divided.
    var geometry: PyramidGeometry { get }
    /// What the tiles are encoded in.
    var format: ImageFormat { get }
    /// Whether tiles at the right and the bottom are filled up to the full tile size.
    var isPadded: Bool { get }

    /// A tile's file; nil for one that isn't there. Traps unless `geometry` has it.
    /// - Throws: `inputOutput`, and `corrupt` or `truncated` for a tile that can be told to be damaged.
    func tile(at address: TileAddress) throws(ImageError) -> [UInt8]?
}

extension StoredPyramid {
    /// Gives every tile that there is to `sink` as it is, and finishes it.
    ///
    /// The sink must be made for the same format and a geometry of the same size, tile size and overlap. Where it has further
    /// small levels, as Deep Zoom has down to one pixel, those are made from the smallest here, by `codecs`.
    /// - Throws: `invalidParameter` where the tiles don't fit, and what keeps one from being read or written.
    public func copyTiles(to sink: any TileSink, codecs: CodecRegistry = .default) throws(ImageError) {
        let (target, encoding) = (sink.geometry, sink.encoding)
        guard target.tileSize == geometry.tileSize, target.overlap == geometry.overlap,
            isPadded == (encoding.padding != .none), format == encoding.format,
            target.levels.starts(with: geometry.levels.prefix(target.levels.count))
        else {
            throw ImageError(.invalidParameter, "tiles can't be taken as they are: those wanted are of another shape")
        }
        for level in target.levels.indices.prefix(geometry.levels.count) {
            for row in 0..<geometry.rowCount(level) {
                for column in 0..<geometry.columnCount(level) {
                    let address = TileAddress(level: level, column: column, row: row)
                    guard !sink.contains(address), let bytes = try tile(at: address) else { continue }
                    try sink.write(bytes.span.bytes, at: address)
                }
            }
        }
        if target.levels.count > geometry.levels.count { try makeSmallLevels(sink, codecs) }
        try sink.finish()
    }

    private func makeSmallLevels(_ sink: any TileSink, _ codecs: CodecRegistry) throws(ImageError) {
        let (target, encoding) = (sink.geometry, sink.encoding)
        let smallest = geometry.levels.count - 1
        var picture = try LevelRowSource(self, level: smallest, background: encoding.background, codecs: codecs)
            .makeBitmap()
        let options = EncodingOptions(quality: encoding.quality, background: encoding.background)
        let destination = try ImageDestination(format: format, options: options, registry: codecs)
        for level in geometry.levels.count..<target.levels.count {
            picture = try picture.resampled(to: target.levels[level], filter: .area)
            guard target.columnCount(level) == 1, target.rowCount(level) == 1 else {
                throw ImageError(.invalidParameter, "there is no level of one tile to make smaller ones from")
            }
            let bytes = try destination.encode(picture)
            try sink.write(bytes.span.bytes, at: TileAddress(level: level, column: 0, row: 0))
        }
    }

    /// What is wrong with a tile; nil for one that is whole. Traps unless `geometry` has it.
    ///
    /// The tile is read, decoded to its last row by `codecs`, and measured.
    public func fault(at address: TileAddress, codecs: CodecRegistry = .default) -> String? {
        do throws(ImageError) {
            guard let bytes = try tile(at: address) else { return "it is missing" }
            let decoded = try ImageSource.decode(bytes, registry: codecs)
            if let error = decoded.error { return "\(error)" }
            let size = decoded.bitmap.size
            let expected =
                isPadded
                ? PixelSize(width: geometry.tileSize, height: geometry.tileSize) : geometry.rect(of: address).size
            guard size == expected else { return "it has \(size) pixels, and not \(expected)" }
            return decoded.header.format == format ? nil : "it is \(decoded.header.format), and not \(format)"
        } catch {
            return "\(error)"
        }
    }
}
