internal import JPNGContainer
internal import Raster

/// The mask part of a JPNG while its bytes arrive: the first ones tell its kind, and with it who decodes it.
struct JPNGMask {
    /// Where the mask begins in the file.
    private let offset: Int
    private let options: DecodingOptions
    private var signature: [UInt8] = []
    private var decoder: (any IncrementalDecoder)?
    private var failure: ImageError?

    init(offset: Int, options: DecodingOptions) {
        self.offset = offset
        var options = options
        // A mask's values are what they are, whatever its file says of their colour.
        options.color = .asStored
        options.maximumBitsPerChannel = 8
        self.options = options
    }

    /// Takes the mask's bytes that come next. What is wrong with them is said when rows are asked for.
    mutating func append(_ bytes: RawSpan) {
        do throws(ImageError) {
            if let decoder { return try decoder.append(bytes) }
            // Used within the call only.
            bytes.withUnsafeBytes { signature.append(contentsOf: $0) }
            if signature.count >= JPNGMaskKind.signatureSize { try makeDecoder() }
        } catch {
            failure = failure ?? error
        }
    }

    private mutating func makeDecoder() throws(ImageError) {
        let first = signature
        let bytes = first.span.bytes
        let probe = FormatProbe(streamPrefix: bytes)
        let decoder: any IncrementalDecoder
        switch JPNGMaskKind(signature: bytes) {
        case .png: decoder = try PNGCodec().makeDecoder(for: probe, options: options)
        case .jpeg: decoder = try JPEGCodec().makeDecoder(for: probe, options: options)
        case nil: throw ImageError(.corrupt, "the bytes are neither a PNG nor a JPEG", byteOffset: 0)
        }
        self.decoder = decoder
        signature = []
        try decoder.append(bytes)
    }

    /// Says that the mask has all its bytes.
    mutating func finish() {
        do throws(ImageError) {
            if decoder == nil, failure == nil { try makeDecoder() }
            try decoder?.finish()
        } catch {
            failure = failure ?? error
        }
    }

    /// The rows of the mask that go with a picture stored at `storedSize`, of which `plan` makes a part of `size`.
    func makeRowSource(
        _ plan: DecodingPlan, storedSize: PixelSize, size: PixelSize
    ) throws(ImageError) -> any RowSource {
        do throws(ImageError) {
            guard let decoder, let header = decoder.header else {
                throw failure ?? ImageError(.truncated, "it ends before its header does")
            }
            // Damage further on is met when its rows are read.
            let fits = header.storedSize == storedSize
            let info = try decoder.start(fits ? plan : .full, delivery: .last)
            var rows: any RowSource = try JPNGMaskRows(decoder, info)
            if info.size != size {
                let part = fits ? nil : plan.region.map { Self.part($0, of: storedSize, in: info.size) }
                // Enlarged by a sharper filter, an edge would ring.
                let shrinks = info.size.width >= size.width && info.size.height >= size.height
                rows = try ResamplingRowSource(rows, to: size, region: part, filter: shrinks ? .area : .bilinear)
            }
            let isLarge = ImageExecutor.processorCount > 1 && info.size.pixelCount >= 1 << 16
            return isLarge ? JPNGMaskStrips(rows) : rows
        } catch {
            throw error.inPart("mask", at: offset)
        }
    }

    /// The part of a mask of another size that lies over `region` of the picture.
    private static func part(_ region: PixelRect, of picture: PixelSize, in mask: PixelSize) -> PixelRegion {
        let (across, down) = (
            Double(mask.width) / Double(picture.width), Double(mask.height) / Double(picture.height)
        )
        let (left, top) = (Double(region.x) * across, Double(region.y) * down)
        // Rounding must not carry it over the mask's edge.
        return PixelRegion(
            x: left, y: top, width: min(Double(region.width) * across, Double(mask.width) - left),
            height: min(Double(region.height) * down, Double(mask.height) - top))
    }
}
