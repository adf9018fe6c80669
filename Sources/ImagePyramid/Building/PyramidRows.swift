internal import ImageFormats
internal import Raster

/// The rows of an image for `LevelStrips`: planes of a JPEG, or pixels.
enum PyramidRows {
    /// Y, Cb and Cr, or grey, as stored in a JPEG, and the JPEG's bytes.
    case planar(JPEGPlanarSource, LevelLayout, Source.Reader)
    /// Grey or RGBA pixels, opaque or premultiplied; the source that reports damage after the last row; and for a JPEG
    /// its bytes, with the segments for tiles copied from them.
    case pixels(any RowSource, ImageRowSource?, copying: (bytes: Source.Reader, segments: [UInt8])?)

    /// Returns the planes of a JPEG; nil if tiles can't have the same sampling, or the orientation would separate
    /// pixels that share a sample.
    static func planes(
        _ source: JPEGPlanarSource, _ bytes: Source.Reader, size: PixelSize, orientation: Orientation
    ) -> PyramidRows? {
        let sampling = source.sampling
        let layout: LevelLayout
        switch sampling.count {
        case 1: layout = .gray
        case 3:
            let (luma, chroma) = (sampling[0], sampling[1])
            guard sampling[2] == chroma, luma == (1, 1),
                1...2 ~= chroma.horizontal, 1...2 ~= chroma.vertical
            else { return nil }
            layout = .yCbCr(horizontal: chroma.horizontal, vertical: chroma.vertical)
        default: return nil
        }
        guard source.stripHeight <= LevelStrips.planeBatch, layout.canBeTurned(orientation, uprightSize: size) else {
            return nil
        }
        return .planar(source, layout, bytes)
    }

    /// Returns the rows of `source` in sRGB for tiles of `encoding`: opaque if the format has no alpha, otherwise
    /// premultiplied, so that they can be averaged.
    static func pixels(
        _ source: any RowSource, for encoding: TileEncoding, averagesLight: Bool, end: ImageRowSource? = nil,
        copying: (bytes: Source.Reader, segments: [UInt8])? = nil
    ) throws(ImageError) -> PyramidRows {
        var (rows, straight) = (source, source.info)
        straight.alpha = .straight
        if rows.info.alpha == .premultiplied, try ColorConverter(from: straight) != nil {
            rows = try rows.converted(to: rows.info.format, alpha: .straight)
        }
        if rows.info.alpha != .premultiplied { rows = try SRGBRowSource(rows) }
        let alpha: AlphaMode =
            !rows.info.alpha.hasAlpha || encoding.format == .jpeg ? .none : .premultiplied
        // Linear light is computed from RGB.
        rows = try rows.converted(
            to: averagesLight ? .rgba8 : rows.info.format.withBitsPerChannel(8), alpha: alpha,
            background: encoding.background)
        return .pixels(rows, end, copying: copying)
    }

    /// The planes of the levels' strips.
    var layout: LevelLayout {
        switch self {
        case .planar(_, let layout, _): layout
        case .pixels(let rows, _, _): rows.info.format.isGray ? .gray : .rgba
        }
    }

    var alpha: AlphaMode {
        switch self {
        case .planar: .none
        case .pixels(let rows, _, _): rows.info.alpha
        }
    }

    /// Makes a copier for a JPEG's tiles; nil if they can't be copied.
    func makeCopier(
        _ builder: PyramidBuilder, orientation: Orientation, queue: TileQueue, sink: any TileSink
    ) -> TileCopier? {
        let copied: (bytes: Source.Reader, segments: [UInt8])? =
            switch self {
            case .planar(_, _, let bytes): (bytes, [])
            case .pixels(_, _, let copying): copying
            }
        guard let (bytes, segments) = copied, orientation == .up else { return nil }
        // The decoder has read the header.
        return TileCopier(
            bytes.source, headerByteCount: bytes.position, inserting: segments, builder, queue: queue, sink: sink)
    }

    func decode(into strips: LevelStrips) throws(ImageError) {
        switch self {
        case .planar(let source, _, _):
            let room = try strips.room()
            let count = try source.read(
                into: room.map { $0.base.assumingMemoryBound(to: UInt8.self) }, strides: room.map(\.stride))
            guard count > 0 else { throw ImageError(.truncated, "the JPEG ends after \(strips.rowCount) rows") }
            try strips.takeRows(count)
        case .pixels(let source, _, _):
            let count = try strips.append { (rows) throws(ImageError) in try source.read(into: &rows) }
            guard count > 0 else { throw ImageError(.truncated, "the rows end after \(strips.rowCount)") }
        }
    }

    /// Throws an error that is detected only after the last row.
    func finish() throws(ImageError) {
        switch self {
        case .planar(let source, _, _): try source.finish()
        case .pixels(_, let source, _): try source?.finish()
        }
    }
}
