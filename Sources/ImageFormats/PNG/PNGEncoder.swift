internal import Raster

/// Writes a PNG file from rows as they arrive.
final class PNGEncoder: RowSink {
    private let writer: PNGChunkWriter
    private let imageData: PNGImageDataEncoder
    private let header: PNGHeader
    private let profile: ColorProfile
    private let metadata: ImageMetadata
    private let palette: PNGPalette?
    private var hasWrittenHead = false

    init(
        _ header: PNGHeader, from info: BitmapInfo, palette: PNGPalette? = nil, options: EncodingOptions,
        filters: PNGFilterChoice = .all, output: any ByteSink
    ) throws(ImageError) {
        let writer = PNGChunkWriter(output)
        self.writer = writer
        self.header = header
        profile = info.profile
        metadata = options.metadata
        self.palette = palette
        imageData = try PNGImageDataEncoder(
            header, from: info, palette: palette, options: options, filters: filters
        ) { (piece) throws(ImageError) in try writer.write(.imageData, piece) }
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        if !hasWrittenHead {
            hasWrittenHead = true
            try writer.writeHead(header, profile: profile, metadata: metadata, palette: palette)
        }
        try imageData.write(rows)
    }

    func finish() throws(ImageError) {
        try imageData.finish()
        try writer.write(.end, [])
    }
}
