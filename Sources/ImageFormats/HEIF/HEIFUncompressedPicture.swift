#if HEIF
internal import Raster

/// A primary image that isn't compressed (ISO/IEC 23001-17): grey or RGB, with or without alpha, of 8 or 16 bits.
final class HEIFUncompressedPicture: WholePicture {
    let header: ImageHeader
    private let layout: HEIFSampleLayout
    private let bytes: [UInt8]
    private let info: BitmapInfo
    private var region: PixelRect
    private var nextRow = 0

    /// The picture of `item`, which isn't coded as a video is.
    /// - Throws: `corrupt`, `truncated`, or `unsupported` for other components and layouts.
    init(_ item: HEIFStoredItem, options: DecodingOptions) throws(ImageError) {
        guard let size = item.size, let property = item.property("uncC") else {
            throw ImageError(.corrupt, "the uncompressed \(item.format) image has no size or no configuration")
        }
        try options.limits.check(size, format: item.format)
        guard item.property("cmpC") == nil else {
            throw HEIFSampleLayout.unsupported(item, "its bytes are compressed")
        }
        let layout = try HEIFSampleLayout(ISOBoxReader(item.file, property.contents), item, size)
        self.layout = layout
        bytes = Array(try item.data())
        let isDeep = layout.components.contains { $0.byteCount == 2 }
        let (isGray, hasAlpha) = (layout[.gray] != nil, layout[.alpha] != nil)
        header = ImageHeader(
            format: item.format, storedSize: size, colorModel: isGray ? .gray : .rgb, bitsPerChannel: isDeep ? 16 : 8,
            hasAlpha: hasAlpha, profile: item.profile(isGray: isGray) ?? .sRGB, metadata: item.metadata(options.limits))
        let pixelFormat: PixelFormat = isGray && !hasAlpha ? .gray8 : .rgba8
        info = BitmapInfo(
            size: size, format: pixelFormat.withBitsPerChannel(isDeep && options.maximumBitsPerChannel > 8 ? 16 : 8),
            alpha: hasAlpha ? .straight : .none, profile: header.profile)
        region = PixelRect(size)
        let tileCount = layout.tilesAcross * (size.height / layout.tileSize.height)
        guard bytes.count >= tileCount * layout.tileByteCount else {
            throw ImageError(
                .truncated, "the \(item.format) image has \(bytes.count) bytes, not \(tileCount * layout.tileByteCount)"
            )
        }
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        region = plan.region ?? PixelRect(header.storedSize)
        nextRow = 0
        var info = info
        info.size = region.size
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let count = min(rows.count, region.height - nextRow)
        // Red, green, blue and alpha of a row's pixels, or its grey, with 16 bits.
        let channelCount = info.format.channelCount
        var samples = [UInt16](repeating: .max, count: channelCount * region.width)
        for y in 0..<count {
            for (place, kind) in [HEIFSampleLayout.Kind.red, .green, .blue, .alpha].prefix(channelCount).enumerated() {
                guard let component = layout[kind] ?? (kind == .alpha ? nil : layout[.gray]) else { continue }
                read(component, region.y + nextRow + y, into: &samples, from: place, step: channelCount)
            }
            Self.fill(y, of: &rows, with: samples.span)
        }
        nextRow += count
        return count
    }

    /// Reads the samples of a component in row `row` of the region to every `step`th of `samples`, from `place` on.
    private func read(
        _ component: HEIFSampleLayout.Component, _ row: Int, into samples: inout [UInt16], from place: Int, step: Int
    ) {
        let tiles = row / layout.tileSize.height * layout.tilesAcross
        let start = component.start + row % layout.tileSize.height * component.rowByteCount
        let bytes = bytes
        var (x, target) = (region.x, place)
        while x < region.x + region.width {
            // The part of the row in one tile.
            let (tile, column) = (x / layout.tileSize.width, x % layout.tileSize.width)
            let count = min(layout.tileSize.width - column, region.x + region.width - x)
            var source = (tiles + tile) * layout.tileByteCount + start + column * component.step
            for _ in 0..<count {
                if component.byteCount == 1 {
                    samples[target] = bytes[source].widened
                } else {
                    let (first, second) = (UInt16(bytes[source]), UInt16(bytes[source + 1]))
                    samples[target] = layout.isLittleEndian ? second << 8 | first : first << 8 | second
                }
                source += component.step
                target += step
            }
            x += count
        }
    }

    /// Fills row `y` of `rows` with its samples.
    private static func fill(_ y: Int, of rows: inout MutablePixelRows, with samples: Span<UInt16>) {
        switch rows.format {
        case .gray8:
            var target = rows.row(y, as: Gray8.self)
            for x in target.indices { target[x] = Gray8(samples[x].narrowed) }
        case .gray16:
            var target = rows.row(y, as: Gray16.self)
            for x in target.indices { target[x] = Gray16(samples[x]) }
        case .rgba8:
            var target = rows.row(y, as: RGBA8.self)
            for x in target.indices {
                target[x] = RGBA8(
                    samples[4 * x].narrowed, samples[4 * x + 1].narrowed, samples[4 * x + 2].narrowed,
                    samples[4 * x + 3].narrowed)
            }
        case .rgba16:
            var target = rows.row(y, as: RGBA16.self)
            for x in target.indices {
                target[x] = RGBA16(samples[4 * x], samples[4 * x + 1], samples[4 * x + 2], samples[4 * x + 3])
            }
        }
    }
}
#endif
