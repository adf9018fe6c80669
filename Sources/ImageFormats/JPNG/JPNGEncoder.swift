internal import JPNGContainer
internal import Raster

/// Writes the colour part as rows arrive, keeps the compressed mask until the end, and then writes it and the footer.
final class JPNGEncoder: RowSink {
    private let info: BitmapInfo
    private let output: CountingSink
    private let color: any RowSink
    private let mask: any RowSink
    private let maskBytes = ByteBuffer()
    private let maskKind: JPNGMaskKind
    private var remaining: RemainingRows

    /// One row of the JPEG's minimum coded units, collected before it is encoded.
    private var strip: MutableBitmap
    private var alphas: MutableBitmap
    private var filled = 0
    private var fill: JPNGEdgeFill

    /// Passes bytes on and counts them.
    private final class CountingSink: ByteSink {
        private let output: any ByteSink
        private(set) var byteCount = 0

        init(_ output: any ByteSink) { self.output = output }

        func write(_ bytes: RawSpan) throws(ImageError) {
            byteCount += bytes.byteCount
            try output.write(bytes)
        }
    }

    /// - Throws: `invalidParameter` for rows or options that JPNG doesn't support; errors of the JPEG and PNG encoders.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        guard info.format.bitsPerChannel == 8, info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a JPNG takes pixels of 8 bits a channel and straight alpha")
        }
        self.info = info
        self.output = CountingSink(output)
        remaining = RemainingRows(info, in: .jpng)

        var colorInfo = info
        colorInfo.alpha = .none
        let tag = JPEGMetadataPayload(marker: JPNGTag.marker, bytes: JPNGTag.payload)
        color = try JPEGEncoder(
            colorInfo, options: options, leadingSegments: options.jpng.isTagged ? [tag] : [], output: self.output)

        let maskInfo = BitmapInfo(size: info.size, format: .gray8)
        var maskOptions = options
        maskOptions.metadata = ImageMetadata()
        if options.jpng.version == 1 {
            maskKind = .png
            // Plain 8-bit grey, as old readers expect, with filters that decode fast, since readers wait for the mask.
            let header = PNGHeader(size: info.size, bitDepth: 8, colorType: .gray)
            mask = try PNGEncoder(header, from: maskInfo, options: maskOptions, filters: .fast, output: maskBytes)
        } else {
            maskKind = .jpeg
            maskOptions.quality = options.jpng.maskQuality ?? options.quality
            maskOptions.jpeg.isProgressive = false
            mask = try JPEGCodec().makeEncoder(maskInfo, options: maskOptions, output: maskBytes)
        }

        let unit = options.jpeg.subsampling.unit
        fill = JPNGEdgeFill(unit: unit)
        var stripInfo = info
        stripInfo.size.height = min(info.size.height, unit.height)
        strip = try MutableBitmap(uninitialized: stripInfo)
        alphas = try MutableBitmap(uninitialized: BitmapInfo(size: stripInfo.size, format: .gray8))
        if !info.alpha.hasAlpha {
            alphas.withMutableRows(0..<stripInfo.size.height) { rows in
                for y in 0..<rows.count { Self.makeOpaque(rows.row(y, as: Gray8.self)) }
            }
        }
    }

    private static func makeOpaque(_ alphas: consuming MutableSpan<Gray8>) {
        for x in alphas.indices { alphas[x] = Gray8(255) }
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        var done = 0
        while done < rows.count {
            let count = min(rows.count - done, strip.info.size.height - filled)
            let (start, part) = (filled, rows.extracting(done..<(done + count)))
            strip.withMutableRows(start..<(start + count)) { $0.copy(part) }
            filled += count
            done += count
            remaining.count -= count
            if filled == strip.info.size.height || remaining.count == 0 { try writeStrip() }
        }
    }

    private func writeStrip() throws(ImageError) {
        let count = filled
        filled = 0
        try strip.withMutableRows(0..<count) { (rows) throws(ImageError) in
            try alphas.withMutableRows(0..<count) { (alphas) throws(ImageError) in
                if info.alpha.hasAlpha {
                    for y in 0..<count {
                        Self.copyAlpha(of: rows.readOnly.row(y, as: RGBA8.self), alphas.row(y, as: Gray8.self))
                    }
                    fill.fill(&rows)
                }
                try mask.write(alphas.readOnly)
            }
            try color.write(rows.readOnly)
        }
    }

    private static func copyAlpha(of row: Span<RGBA8>, _ alphas: consuming MutableSpan<Gray8>) {
        for x in row.indices { alphas[x] = Gray8(row[x].alpha) }
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try color.finish()
        try mask.finish()
        let footer: JPNGFooter
        do throws(JPNGError) {
            footer = try JPNGFooter(
                imageSize: output.byteCount, maskSize: maskBytes.bytes.count, maskKind: maskKind)
        } catch {
            throw ImageError(error)
        }
        try output.write(maskBytes.bytes)
        try output.write(footer.bytes)
    }
}

extension EncodingOptions.JPEG.Subsampling {
    /// The size in pixels of a minimum coded unit (ITU-T T.81, A.2.3): 8 × 8 samples of the coarsest component.
    fileprivate var unit: PixelSize {
        switch self {
        case .yuv444: PixelSize(width: 8, height: 8)
        case .yuv422: PixelSize(width: 16, height: 8)
        case .yuv420: PixelSize(width: 16, height: 16)
        case .yuv440: PixelSize(width: 8, height: 16)
        case .yuv411: PixelSize(width: 32, height: 8)
        }
    }
}
