public import ImageFormats
internal import Raster

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
}
