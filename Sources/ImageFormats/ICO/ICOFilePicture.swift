internal import Raster

/// A picture of an icon that is a PNG file, read by its own session.
final class ICOFilePicture: WholePicture {
    let header: ImageHeader
    private let decoder: any IncrementalDecoder

    /// The picture in `bytes`, of which `description` says what the file does.
    init(_ bytes: [UInt8], description: ImageHeader, options: DecodingOptions) throws(ImageError) {
        var single = options
        single.imageIndex = nil
        decoder = try PNGCodec().makeDecoder(for: FormatProbe(streamPrefix: RawSpan()), options: single)
        try decoder.append(bytes.span.bytes)
        try decoder.finish()
        guard var header = decoder.header else {
            throw ImageError(.truncated, "the \(description.format) picture ends before its header does")
        }
        try options.limits.check(header.storedSize, format: description.format)
        header.format = description.format
        header.sequence = description.sequence
        header.metadata.hotSpot = description.metadata.hotSpot
        self.header = header
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo { try decoder.start(plan, delivery: .last) }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        while true {
            switch try decoder.read(into: &rows) {
            case .rows(let count): return count
            case .end: return 0
            case .passComplete, .restart: continue
            case .needMoreData: throw ImageError(.truncated, "the \(header.format) picture ends too early")
            }
        }
    }
}
