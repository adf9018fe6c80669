internal import CTesseraJPEG
internal import CTesseraKernels
internal import ImageFormats
internal import Raster

/// Encodes tiles on one thread, reusing its memory where the format allows.
final class TileEncoder {
    private let encoding: TileEncoding
    private let plan: LevelStripPlan
    private let alpha: AlphaMode
    private let jpeg: JPEGTileEncoder?
    private let destination: ImageDestination

    /// Creates an encoder for tiles of the strips of `plan`, with alpha mode `alpha`.
    /// - Throws: `unsupported` if the format can't be written, `invalidParameter` for a quality out of range.
    init(
        _ encoding: TileEncoding, plan: LevelStripPlan, alpha: AlphaMode, codecs: CodecRegistry
    ) throws(ImageError) {
        self.encoding = encoding
        self.plan = plan
        self.alpha = alpha
        let options = EncodingOptions(quality: encoding.quality, background: encoding.background)
        destination = try ImageDestination(format: encoding.format, options: options, registry: codecs)
        jpeg = encoding.format == .jpeg ? try JPEGTileEncoder(quality: encoding.quality, plan: plan) : nil
    }

    /// Lends a tile's encoded file to `body`.
    func encode(
        _ tile: LevelStrip.Tile, of strip: LevelStrip, _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let full = fullSize(tile)
        guard let jpeg else { return try encodeFile(tile, of: strip, size: full, body) }
        if strip.planes.count > 1 {
            try encodePlanes(tile, of: strip, by: jpeg, size: full, body)
        } else if plan.orientation == .up, full == tile.upright.size {
            try strip.withRows(tile.stored) { (rows) throws(ImageError) in try jpeg.encode(rows, body) }
        } else {
            try encodeCopy(tile, of: strip, by: jpeg, size: full, body)
        }
    }

    // Not inlined: the compiler (6.3) fails on a bitmap's lifetime across several throwing branches.
    @inline(never)
    private func encodeFile(
        _ tile: LevelStrip.Tile, of strip: LevelStrip, size: PixelSize,
        _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let bytes = try destination.encode(bitmap(tile, of: strip, size: size))
        try body(bytes.span.bytes)
    }

    @inline(never)
    private func encodeCopy(
        _ tile: LevelStrip.Tile, of strip: LevelStrip, by jpeg: JPEGTileEncoder, size: PixelSize,
        _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let bitmap = try bitmap(tile, of: strip, size: size)
        try jpeg.encode(bitmap.rows, body)
    }

    /// The size of the encoded image: the tile's, or the padded one.
    private func fullSize(_ tile: LevelStrip.Tile) -> PixelSize {
        guard encoding.padding != .none else { return tile.upright.size }
        let (side, overlap) = (plan.geometry.tileSize, plan.geometry.overlap)
        return PixelSize(
            width: (tile.address.column + 1) * side + overlap - tile.upright.x,
            height: (tile.address.row + 1) * side + overlap - tile.upright.y)
    }

    // MARK: Pixels

    /// The upright tile, padded to `size`.
    @inline(never)
    private func bitmap(_ tile: LevelStrip.Tile, of strip: LevelStrip, size: PixelSize) throws(ImageError) -> Bitmap {
        let stored = try copy(of: tile.stored, of: strip)
        let upright = try stored.oriented(by: plan.orientation)
        return upright.size == size ? upright : try filledUp(upright, to: size)
    }

    private func copy(of rect: PixelRect, of strip: LevelStrip) throws(ImageError) -> Bitmap {
        let format: PixelFormat = plan.layout.planes[0].bytesPerSample == 4 ? .rgba8 : .gray8
        var bitmap = try MutableBitmap(uninitialized: BitmapInfo(size: rect.size, format: format, alpha: alpha))
        strip.withRows(rect) { rows in
            var target = bitmap.mutableRows
            target.copy(rows)
        }
        return bitmap.freeze()
    }

    private func filledUp(_ bitmap: Bitmap, to size: PixelSize) throws(ImageError) -> Bitmap {
        var info = bitmap.info
        info.size = size
        let pixelBytes = info.format.bytesPerPixel
        var result = try MutableBitmap(uninitialized: info)
        var target = result.mutableRows
        let background = plan.layout.background(encoding.background)[0]
        for y in 0..<size.height {
            let source = bitmap.rows.bytes(min(y, bitmap.height - 1))
            var row = target.bytes(y)
            let copied = y < bitmap.height || encoding.padding == .edges ? bitmap.width : 0
            for byte in 0..<copied * pixelBytes {
                row.storeBytes(
                    of: source.unsafeLoad(fromByteOffset: byte, as: UInt8.self), toByteOffset: byte, as: UInt8.self)
            }
            for byte in copied * pixelBytes..<size.width * pixelBytes {
                let value =
                    encoding.padding == .edges
                    ? source.unsafeLoad(
                        fromByteOffset: (bitmap.width - 1) * pixelBytes + byte % pixelBytes, as: UInt8.self)
                    : background[byte % pixelBytes]
                row.storeBytes(of: value, toByteOffset: byte, as: UInt8.self)
            }
        }
        return result.freeze()
    }

    // MARK: Planes

    private func encodePlanes(
        _ tile: LevelStrip.Tile, of strip: LevelStrip, by jpeg: JPEGTileEncoder, size: PixelSize,
        _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let parts = strip.planes.indices.map { PlanePart(tile, of: strip, plane: $0) }
        guard plan.orientation == .up, encoding.padding != .background || size == tile.upright.size else {
            return try encodeTurned(parts, of: strip, by: jpeg, size: size, body)
        }
        let planes = parts.map { part in
            tessera_jpeg_plane(
                samples: part.first, stride: part.stepY, width: UInt32(part.width), height: UInt32(part.height),
                between_columns: part.isBetweenColumns, between_rows: part.isBetweenRows)
        }
        try jpeg.encode(planes, size: size, body)
        withExtendedLifetime(strip) {}
    }

    /// Encodes planes after turning and padding them.
    private func encodeTurned(
        _ parts: [PlanePart], of strip: LevelStrip, by jpeg: JPEGTileEncoder, size: PixelSize,
        _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let background = plan.layout.background(encoding.background)
        var planes: [tessera_jpeg_plane] = []
        var memory: [ScratchMemory] = []
        for (index, part) in parts.enumerated() {
            var (width, height) = (part.width, part.height)
            if encoding.padding == .background {
                width = max(
                    width, (size.width + part.horizontal - 1) / part.horizontal + (part.isBetweenColumns ? 1 : 0))
                height = max(height, (size.height + part.vertical - 1) / part.vertical + (part.isBetweenRows ? 1 : 0))
            }
            let scratch = try ScratchMemory(bytesPerRow: width, rowCount: height)
            let base = scratch.base.initializeMemory(
                as: UInt8.self, repeating: background[index][0], count: width * height)
            tessera_gather_bytes(part.first, part.stepX, part.stepY, base, width, part.width, part.height)
            memory.append(scratch)
            planes.append(
                tessera_jpeg_plane(
                    samples: base, stride: width, width: UInt32(width), height: UInt32(height),
                    between_columns: part.isBetweenColumns, between_rows: part.isBetweenRows))
        }
        try jpeg.encode(planes, size: size, body)
        withExtendedLifetime((memory, strip)) {}
    }
}

/// A tile's samples in one plane, in the order of the upright tile.
struct PlanePart {
    /// The upright tile's first sample, and the distance in bytes to the next across and down. Valid as long as the
    /// strip lives.
    let first: UnsafePointer<UInt8>
    let stepX: Int
    let stepY: Int
    /// The number of samples across and down; one more than the tile's size divided by the sampling if the tile begins
    /// within a sample.
    let width: Int
    let height: Int
    /// Pixels for each sample, across and down.
    let horizontal: Int
    let vertical: Int
    /// Whether the tile begins within a sample.
    let isBetweenColumns: Bool
    let isBetweenRows: Bool

    init(_ tile: LevelStrip.Tile, of strip: LevelStrip, plane index: Int) {
        let (plane, orientation) = (strip.planes[index], strip.plan.orientation)
        let kind = plane.kind
        (horizontal, vertical) =
            orientation.swapsSides ? (kind.vertical, kind.horizontal) : (kind.horizontal, kind.vertical)
        let (x, y) = (tile.upright.x / horizontal, tile.upright.y / vertical)
        width = (tile.upright.x + tile.upright.width + horizontal - 1) / horizontal - x
        height = (tile.upright.y + tile.upright.height + vertical - 1) / vertical - y
        isBetweenColumns = !tile.upright.x.isMultiple(of: horizontal)
        isBetweenRows = !tile.upright.y.isMultiple(of: vertical)
        let upright = orientation.applied(to: strip.plan.planeSize(strip.level, index))
        let inverse = orientation.inverse
        let start = inverse.applied(toX: x, y: y, in: upright)
        let right = inverse.applied(toX: x + 1, y: y, in: upright)
        let below = inverse.applied(toX: x, y: y + 1, in: upright)
        let stride = plane.stride
        // Within the strip: its rows are those of its tiles in each plane.
        first = (plane.base + (start.y - plane.firstRow) * stride + start.x).assumingMemoryBound(to: UInt8.self)
        stepX = (right.y - start.y) * stride + right.x - start.x
        stepY = (below.y - start.y) * stride + below.x - start.x
    }
}
