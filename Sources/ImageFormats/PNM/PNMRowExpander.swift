internal import Raster

/// Converts the samples of a raw row to pixels.
struct PNMRowExpander {
    /// The format of the pixels: grey or RGBA, of 16 bits if samples have more than 8 and the options allow it.
    let format: PixelFormat
    private let header: PNMHeader
    /// Whether a sample takes two bytes.
    private let isWide: Bool
    /// The scaled value of each sample up to the maximum.
    private let table: [UInt16]

    init(_ header: PNMHeader, maximumBitsPerChannel: Int) {
        self.header = header
        isWide = header.sampleByteCount == 2
        let format: PixelFormat = header.isGray && !header.hasAlpha ? .gray8 : .rgba8
        let isDeep = maximumBitsPerChannel > 8 && header.maximumValue > 255
        self.format = format.withBitsPerChannel(isDeep ? 16 : 8)
        let (maximum, white) = (header.maximumValue, isDeep ? 65535 : 255)
        table = (0...maximum).map { UInt16(($0 * white + maximum / 2) / maximum) }
    }

    /// Fills the target's row `y` with the pixels of the stored row from column `first` on.
    func expand(_ bytes: Span<UInt8>, from first: Int, to target: inout MutablePixelRows, _ y: Int) {
        let table = table
        switch format {
        case .gray8:
            var row = target.row(y, as: Gray8.self)
            if header.isBitmap {
                for x in row.indices {
                    let column = first &+ x
                    row[x] = Gray8(bytes[column &>> 3] &<< UInt8(column & 7) & 0x80 == 0 ? 255 : 0)
                }
            } else {
                for x in row.indices {
                    row[x] = Gray8(UInt8(truncatingIfNeeded: sample(first &+ x, bytes, table.span)))
                }
            }
        case .gray16:
            var row = target.row(y, as: Gray16.self)
            for x in row.indices { row[x] = Gray16(sample(first &+ x, bytes, table.span)) }
        case .rgba8: expandColors(bytes, table.span, from: first, to: target.row(y, as: RGBA8.self))
        case .rgba16: expandColors(bytes, table.span, from: first, to: target.row(y, as: RGBA16.self))
        }
    }

    @inline(__always)
    private func expandColors<P: RGBAPixel>(
        _ bytes: Span<UInt8>, _ table: Span<UInt16>, from first: Int, to row: consuming MutableSpan<P>
    ) {
        let (step, hasAlpha) = (header.channelCount, header.hasAlpha)
        let (green, blue) = header.isGray ? (0, 0) : (1, 2)
        var index = first &* step
        for x in row.indices {
            row[x] = P(
                P.Channel(truncatingIfNeeded: sample(index, bytes, table)),
                P.Channel(truncatingIfNeeded: sample(index &+ green, bytes, table)),
                P.Channel(truncatingIfNeeded: sample(index &+ blue, bytes, table)),
                hasAlpha ? P.Channel(truncatingIfNeeded: sample(index &+ step &- 1, bytes, table)) : .max)
            index &+= step
        }
    }

    /// Returns the scaled sample at `index`; one above the maximum counts as the maximum.
    @inline(__always)
    private func sample(_ index: Int, _ bytes: Span<UInt8>, _ table: Span<UInt16>) -> UInt16 {
        let value =
            isWide
            ? Int(bytes[2 &* index]) &<< 8 | Int(bytes[2 &* index &+ 1]) : Int(bytes[index])
        return table[min(value, table.count &- 1)]
    }
}
