internal import JPNGContainer
internal import Raster

/// The mask part of a JPNG; its first bytes select the PNG or the JPEG decoder.
struct JPNGMask {
    /// The mask's offset in the file.
    private let offset: Int
    private let options: DecodingOptions
    private var signature: [UInt8] = []
    private var decoder: (any IncrementalDecoder)?
    private var failure: ImageError?

    init(offset: Int, options: DecodingOptions) {
        self.offset = offset
        var options = options
        // A mask's values are used as stored; its colour profile is ignored.
        options.color = .asStored
        options.maximumBitsPerChannel = 8
        self.options = options
    }

    /// Appends the mask's next bytes. Errors are thrown when rows are requested.
    mutating func append(_ bytes: RawSpan) {
        do throws(ImageError) {
            if let decoder { return try decoder.append(bytes) }
            // The pointer is used within the call only.
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

    /// Ends the mask's bytes.
    mutating func finish() {
        do throws(ImageError) {
            if decoder == nil, failure == nil { try makeDecoder() }
            try decoder?.finish()
        } catch {
            failure = failure ?? error
        }
    }

    /// The mask's rows for an image stored at `storedSize`, of which `plan` makes a part of `size`.
    func makeRowSource(
        _ plan: DecodingPlan, storedSize: PixelSize, size: PixelSize
    ) throws(ImageError) -> any RowSource {
        do throws(ImageError) {
            guard let decoder, let header = decoder.header else {
                throw failure ?? ImageError(.truncated, "it ends before its header does")
            }
            // Damage further on is reported when its rows are read.
            let fits = header.storedSize == storedSize
            let info = try decoder.start(fits ? plan : .full, delivery: .last)
            var rows: any RowSource = try JPNGMaskRows(decoder, info)
            if fits, let side = Self.reduction(of: info.size, to: size) {
                rows = try ResamplingRowSource(rows, meansOf: side)
            } else if info.size != size {
                let part = fits ? nil : plan.region.map { Self.part($0, of: storedSize, in: info.size) }
                // A sharper filter would ring at edges when enlarging.
                let shrinks = info.size.width >= size.width && info.size.height >= size.height
                rows = try ResamplingRowSource(rows, to: size, region: part, filter: shrinks ? .area : .bilinear)
            }
            let isLarge = ImageExecutor.processorCount > 1 && info.size.pixelCount >= 1 << 16
            return isLarge ? JPNGMaskStrips(rows) : rows
        } catch {
            throw error.inPart("mask", at: offset)
        }
    }

    /// The factor by which the mask is reduced on each side, where the colour decoder scaled down by a power of two; or
    /// nil.
    private static func reduction(of size: PixelSize, to smaller: PixelSize) -> Int? {
        [2, 4, 8].first {
            (size.width - 1) / $0 + 1 == smaller.width && (size.height - 1) / $0 + 1 == smaller.height
        }
    }

    /// The part of a mask of another size that covers `region` of the image.
    private static func part(_ region: PixelRect, of picture: PixelSize, in mask: PixelSize) -> PixelRegion {
        let (across, down) = (
            Double(mask.width) / Double(picture.width), Double(mask.height) / Double(picture.height)
        )
        let (left, top) = (Double(region.x) * across, Double(region.y) * down)
        // Rounding must not extend it past the mask's edge.
        return PixelRegion(
            x: left, y: top, width: min(Double(region.width) * across, Double(mask.width) - left),
            height: min(Double(region.height) * down, Double(mask.height) - top))
    }
}

/// A mask's rows as grey, whatever its file stores: colours become luma, and alpha is ignored.
final class JPNGMaskRows: RowSource {
    let info: BitmapInfo
    private let decoder: any IncrementalDecoder
    /// A buffer for rows of colours; nil if the mask is grey.
    private let colors: PixelStrip?
    private var next = 0

    /// Reads rows from a decoder that was started for rows of `info` and has all its bytes.
    init(_ decoder: any IncrementalDecoder, _ info: BitmapInfo) throws(ImageError) {
        self.decoder = decoder
        self.info = BitmapInfo(size: info.size, format: .gray8)
        switch info.format {
        case .gray8: colors = nil
        case .rgba8: colors = try PixelStrip(info, height: 16)
        default: throw ImageError(.unsupported, "a mask of \(info.format.bitsPerChannel) bits a channel")
        }
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let colors else { return try pull(into: &rows) }
        let count = try colors.fill(rows.count) { (part) throws(ImageError) in try pull(into: &part) }
        colors.withRows { colors in
            for y in 0..<count { Self.brightness(of: colors.row(y, as: RGBA8.self), rows.row(y, as: Gray8.self)) }
        }
        return count
    }

    private func pull(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let count = try decoder.nextRows(into: &rows) ?? 0
        guard count <= info.size.height - next else { throw ImageError(.corrupt, "the mask has too many rows") }
        next += count
        guard count > 0 || next == info.size.height else {
            throw ImageError(.truncated, "the mask ends after \(next) of \(info.size.height) rows")
        }
        return count
    }

    /// Luma by Rec. 601; of a grey, its value.
    private static func brightness(of colors: Span<RGBA8>, _ grays: consuming MutableSpan<Gray8>) {
        for x in grays.indices {
            let color = colors[x]
            // The weights add up to 256, so the sum is below 65536.
            let sum = 77 &* UInt32(color.red) &+ 150 &* UInt32(color.green) &+ 29 &* UInt32(color.blue)
            grays[x] = Gray8(UInt8(truncatingIfNeeded: (sum &+ 128) >> 8))
        }
    }
}
