internal import Raster

/// Converts the samples of a raw row to pixels.
struct PNMRowExpander {
    /// The format of the pixels: grey or RGBA, of 16 bits if samples have more than 8 and the options allow it.
    let format: PixelFormat
    private let header: PNMHeader
    /// The scaled value of each sample up to the maximum.
    private let table: [UInt16]

    init(_ header: PNMHeader, maximumBitsPerChannel: Int) {
        self.header = header
        let format: PixelFormat = header.isGray && !header.hasAlpha ? .gray8 : .rgba8
        let isDeep = maximumBitsPerChannel > 8 && header.maximumValue > 255
        self.format = format.withBitsPerChannel(isDeep ? 16 : 8)
        let (maximum, white) = (header.maximumValue, isDeep ? 65535 : 255)
        table = (0...maximum).map { UInt16(($0 * white + maximum / 2) / maximum) }
    }

    /// Fills the target's row `y` with the pixels of the stored row from column `first` on.
    func expand(_ bytes: Span<UInt8>, from first: Int, to target: inout MutablePixelRows, _ y: Int) {
        let table = table
        // Each loop has its kind of sample, so that none decides for every sample.
        if header.isBitmap {
            expandBits(bytes, from: first, to: target.row(y, as: Gray8.self))
        } else if header.maximumValue == 255, !header.isGray, !header.hasAlpha {
            Self.expandRGB(bytes, from: first, to: target.row(y, as: RGBA8.self))
        } else if header.maximumValue == 65535, !header.isGray, !header.hasAlpha, format == .rgba16 {
            Self.expandDeepRGB(bytes.bytes, from: first, to: target.row(y, as: RGBA16.self))
        } else if header.sampleByteCount == 1 {
            expand(from: first, to: &target, y, table.span) { Int(bytes[$0]) }
        } else {
            expand(from: first, to: &target, y, table.span) { Int(bytes[2 &* $0]) &<< 8 | Int(bytes[2 &* $0 &+ 1]) }
        }
    }

    private func expandBits(_ bytes: Span<UInt8>, from first: Int, to row: consuming MutableSpan<Gray8>) {
        for x in row.indices {
            let column = first &+ x
            row[x] = Gray8(bytes[column &>> 3] &<< UInt8(column & 7) & 0x80 == 0 ? 255 : 0)
        }
    }

    private static func expandRGB(_ bytes: Span<UInt8>, from first: Int, to row: consuming MutableSpan<RGBA8>) {
        var at = 3 &* first
        for x in row.indices {
            row[x] = RGBA8(bytes[at], bytes[at &+ 1], bytes[at &+ 2])
            at &+= 3
        }
    }

    private static func expandDeepRGB(_ bytes: RawSpan, from first: Int, to row: consuming MutableSpan<RGBA16>) {
        func sample(_ offset: Int) -> UInt16 {
            UInt16(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
        }
        let last = bytes.byteCount &- 8
        var at = 6 &* first
        for x in row.indices {
            if at <= last {
                // Three samples, and a part of the next pixel in place of alpha.
                let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
                let colors = (word & 0xFF_00FF_00FF) &<< 8 | (word &>> 8) & 0xFF_00FF_00FF
                row[x] = RGBA16(
                    UInt16(truncatingIfNeeded: colors), UInt16(truncatingIfNeeded: colors &>> 16),
                    UInt16(truncatingIfNeeded: colors &>> 32))
            } else {
                row[x] = RGBA16(sample(at), sample(at &+ 2), sample(at &+ 4))
            }
            at &+= 6
        }
    }

    /// - Parameter sample: Returns the stored sample at an index of the row.
    @inline(__always)
    private func expand(
        from first: Int, to target: inout MutablePixelRows, _ y: Int, _ table: Span<UInt16>, sample: (Int) -> Int
    ) {
        // A sample above the maximum counts as the maximum.
        let last = table.count &- 1
        switch format {
        case .gray8:
            var row = target.row(y, as: Gray8.self)
            for x in row.indices { row[x] = Gray8(UInt8(truncatingIfNeeded: table[min(sample(first &+ x), last)])) }
        case .gray16:
            var row = target.row(y, as: Gray16.self)
            for x in row.indices { row[x] = Gray16(table[min(sample(first &+ x), last)]) }
        case .rgba8:
            expandColors(from: first, to: target.row(y, as: RGBA8.self)) {
                UInt8(truncatingIfNeeded: table[min(sample($0), last)])
            }
        case .rgba16:
            expandColors(from: first, to: target.row(y, as: RGBA16.self)) { table[min(sample($0), last)] }
        }
    }

    @inline(__always)
    private func expandColors<P: RGBAPixel>(
        from first: Int, to row: consuming MutableSpan<P>, channel: (Int) -> P.Channel
    ) {
        let (step, hasAlpha) = (header.channelCount, header.hasAlpha)
        let (green, blue) = header.isGray ? (0, 0) : (1, 2)
        var index = first &* step
        for x in row.indices {
            row[x] = P(
                channel(index), channel(index &+ green), channel(index &+ blue),
                hasAlpha ? channel(index &+ step &- 1) : .max)
            index &+= step
        }
    }
}
