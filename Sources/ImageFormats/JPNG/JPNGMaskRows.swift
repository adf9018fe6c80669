internal import Raster

/// A mask's rows as grey, whatever its file stores: colours by their brightness, alpha left out of account.
final class JPNGMaskRows: RowSource {
    let info: BitmapInfo
    private let decoder: any IncrementalDecoder
    /// Room for some rows of colours; nil where the mask is grey.
    private let colors: PixelStrip?
    private var next = 0

    /// The rows of a session that was started for rows of `info`, and that has all its bytes.
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
        let count = try Self.pull(from: decoder, into: &rows)
        guard count <= info.size.height - next else { throw ImageError(.corrupt, "the mask has too many rows") }
        next += count
        guard count > 0 || next == info.size.height else {
            throw ImageError(.truncated, "the mask ends after \(next) of \(info.size.height) rows")
        }
        return count
    }

    private static func pull(
        from decoder: any IncrementalDecoder, into rows: inout MutablePixelRows
    ) throws(ImageError) -> Int {
        while true {
            switch try decoder.read(into: &rows) {
            case .rows(let count): return count
            case .passComplete: continue
            case .needMoreData, .restart, .end: return 0
            }
        }
    }

    /// Rec. 601's brightness; a grey's is its value.
    private static func brightness(of colors: Span<RGBA8>, _ grays: consuming MutableSpan<Gray8>) {
        for x in grays.indices {
            let color = colors[x]
            // The weights add up to 256, so the sum is below 65536.
            let sum = 77 &* UInt32(color.red) &+ 150 &* UInt32(color.green) &+ 29 &* UInt32(color.blue)
            grays[x] = Gray8(UInt8(truncatingIfNeeded: (sum &+ 128) >> 8))
        }
    }
}
