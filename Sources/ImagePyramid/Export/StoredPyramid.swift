public import ImageFormats
internal import Raster

/// An existing pyramid that can be read, in any kind of storage.
public protocol StoredPyramid: Sendable {
    /// The levels and tiles.
    var geometry: PyramidGeometry { get }
    /// The format of the tiles.
    var format: ImageFormat { get }
    /// Whether tiles at the right and bottom edges are padded to the full tile size.
    var isPadded: Bool { get }

    /// Returns a tile's encoded file; nil if it is missing. Traps for an address outside `geometry`.
    /// - Throws: `inputOutput`; `corrupt` or `truncated` for damage that is detected.
    func tile(at address: TileAddress) throws(ImageError) -> [UInt8]?
}

extension StoredPyramid {
    /// Copies all existing tiles to `sink` without re-encoding, and finishes it.
    ///
    /// The sink must have the same format and the same size, tile size and overlap. Its additional small levels, such
    /// as Deep Zoom's down to one pixel, are made from the smallest level here, with `codecs`.
    /// - Throws: `invalidParameter` if the tiles don't fit, or the error of reading or writing one.
    public func copyTiles(to sink: any TileSink, codecs: CodecRegistry = .default) throws(ImageError) {
        let (target, encoding) = (sink.geometry, sink.encoding)
        guard target.tileSize == geometry.tileSize, target.overlap == geometry.overlap,
            isPadded == (encoding.padding != .none), format == encoding.format,
            target.levels.starts(with: geometry.levels.prefix(target.levels.count))
        else {
            throw ImageError(
                .invalidParameter,
                "tiles can't be copied: the target must have the same format, tile size, overlap and padding")
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
                throw ImageError(.invalidParameter, "the pyramid has no level of one tile to make smaller levels from")
            }
            let bytes = try destination.encode(picture)
            try sink.write(bytes.span.bytes, at: TileAddress(level: level, column: 0, row: 0))
        }
    }

    /// Checks a tile by decoding it entirely with `codecs` and comparing its size and format; returns a description of
    /// what is wrong, or nil for a valid tile. Traps for an address outside `geometry`.
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
