internal import JPEGBitstream
internal import Raster

/// Makes pixels of a lossless JPEG's samples, whose 2 to 16 bits become 8 or 16.
struct JPEGLosslessPixels {
    /// The format of the rows.
    let format: PixelFormat

    private let color: JPEGLosslessColor
    private let precision: Int
    /// The channel of each sample: its share of the largest, rounded.
    private let channels: [UInt16]
    private let inks: CMYKConverter?
    /// A row of CMYK.
    private var inkRow: [UInt8]

    /// - Parameters:
    ///   - inkProfile: The ICC profile of CMYK; nil converts by the plain formula.
    init(_ color: JPEGLosslessColor, precision: Int, width: Int, inkProfile: [UInt8]?, maximumBitsPerChannel: Int) {
        self.color = color
        self.precision = precision
        let isInk = color.model == .cmyk
        let isDeep = precision > 8 && maximumBitsPerChannel > 8 && !isInk
        format = (color == .gray ? PixelFormat.gray8 : .rgba8).withBitsPerChannel(isDeep ? 16 : 8)
        let (largest, channel) = (1 << precision - 1, isDeep ? 65535 : 255)
        channels = (0...largest).map { UInt16(($0 * channel + largest / 2) / largest) }
        inks = isInk ? CMYKConverter(profile: inkProfile, isInverted: true) : nil
        inkRow = [UInt8](repeating: 0, count: isInk ? 4 * width : 0)
    }

    /// The bytes that a row of `width` pixels needs besides its samples.
    static func byteCount(precision: Int, width: Int) -> Int { 2 << precision + 4 * width }

    /// Fills row `y` of `rows` with the decoder's last row, from column `x` on.
    mutating func convert(_ decoder: JPEGLosslessDecoder, from x: Int, into rows: inout MutablePixelRows, _ y: Int) {
        let columns = x..<(x + rows.width)
        let table = channels
        let (first, channels) = (decoder.samples(of: 0).extracting(columns), table.span)
        // A sample's bits are at most the precision's, so each has a channel.
        if format == .gray8 {
            var row = rows.row(y, as: Gray8.self)
            for x in row.indices { row[x] = Gray8(UInt8(truncatingIfNeeded: channels[Int(first[x])])) }
            return
        }
        if format == .gray16 {
            var row = rows.row(y, as: Gray16.self)
            for x in row.indices { row[x] = Gray16(channels[Int(first[x])]) }
            return
        }
        let (second, third) = (
            decoder.samples(of: 1).extracting(columns), decoder.samples(of: 2).extracting(columns)
        )
        if format == .rgba16 {
            var row = rows.row(y, as: RGBA16.self)
            forEach(first, second, third) { x, red, green, blue in
                row[x] = RGBA16(channels[red], channels[green], channels[blue])
            }
        } else if let inks {
            fillInks(first, second, third, decoder.samples(of: 3).extracting(columns))
            var row = rows.row(y, as: RGBA8.self)
            inks.convert(inkRow.span.bytes, into: &row)
        } else {
            var row = rows.row(y, as: RGBA8.self)
            forEach(first, second, third) { x, red, green, blue in
                row[x] = RGBA8(
                    UInt8(truncatingIfNeeded: channels[red]), UInt8(truncatingIfNeeded: channels[green]),
                    UInt8(truncatingIfNeeded: channels[blue]))
            }
        }
    }

    /// Calls `body` with each pixel's number, and its red, green and blue of the samples' precision.
    @inline(__always)
    private func forEach(
        _ first: Span<UInt16>, _ second: Span<UInt16>, _ third: Span<UInt16>, _ body: (Int, Int, Int, Int) -> Void
    ) {
        guard color == .ycc || color == .ycck else {
            for x in first.indices { body(x, Int(first[x]), Int(second[x]), Int(third[x])) }
            return
        }
        let (largest, half) = (1 << precision - 1, 1 << (precision - 1))
        // JFIF's equations in 16-bit fixed point, as libjpeg rounds them: 1.402, 0.344136, 0.714136, 1.772.
        for x in first.indices {
            let (luma, blue, red) = (Int(first[x]), Int(second[x]) &- half, Int(third[x]) &- half)
            let values = (
                luma &+ (91881 &* red &+ 32768) &>> 16,
                luma &+ (32768 &- 22554 &* blue &- 46802 &* red) &>> 16,
                luma &+ (116_130 &* blue &+ 32768) &>> 16
            )
            body(
                x, min(max(values.0, 0), largest), min(max(values.1, 0), largest), min(max(values.2, 0), largest))
        }
    }

    /// Fills the row of CMYK; YCCK is CMYK whose first three were converted like RGB, inverted.
    private mutating func fillInks(
        _ first: Span<UInt16>, _ second: Span<UInt16>, _ third: Span<UInt16>, _ black: Span<UInt16>
    ) {
        let (inversion, channels) = (color == .ycck ? UInt16(255) : 0, channels)
        var row = inkRow
        inkRow = []
        forEach(first, second, third) { x, cyan, magenta, yellow in
            row[4 * x] = UInt8(truncatingIfNeeded: channels[cyan] ^ inversion)
            row[4 * x + 1] = UInt8(truncatingIfNeeded: channels[magenta] ^ inversion)
            row[4 * x + 2] = UInt8(truncatingIfNeeded: channels[yellow] ^ inversion)
            row[4 * x + 3] = UInt8(truncatingIfNeeded: channels[Int(black[x])])
        }
        inkRow = row
    }
}
