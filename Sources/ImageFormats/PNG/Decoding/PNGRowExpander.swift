internal import Raster

/// Converts unfiltered rows to pixels.
package struct PNGRowExpander {
    /// One case for each loop. 16-bit kinds produce 16-bit or 8-bit pixels, depending on the format.
    private enum Kind {
        case gray(bits: Int)
        case gray8
        case gray16
        case keyedGray(bits: Int, key: Int)
        case keyedGray16(key: UInt16)
        case grayAlpha8
        case grayAlpha16
        case rgb8
        case rgb16
        case keyedRGB8(key: UInt32)
        case keyedRGB16(red: UInt16, green: UInt16, blue: UInt16)
        case rgba8
        case rgba16
        case indexed(bits: Int)
    }

    private let kind: Kind
    /// The format of the pixels.
    let format: PixelFormat
    /// Whether any pixel may be less than opaque.
    let hasAlpha: Bool
    /// The colours of an indexed image, with opaque black for missing ones.
    private let table: [RGBA8]
    private let colorCount: Int

    init(_ header: PNGHeader, ancillary: PNGAncillaryData, maximumBitsPerChannel: Int) {
        let isDeep = header.bitDepth == 16
        let keepsDepth = isDeep && maximumBitsPerChannel > 8
        let bits = header.bitDepth
        let key = ancillary.transparency
        func word(_ index: Int) -> UInt16? {
            guard let key, key.count >= 2 * index + 2 else { return nil }
            // Values beyond the bit depth are truncated, as in other decoders.
            return (UInt16(key[2 * index]) << 8 | UInt16(key[2 * index + 1]))
                & UInt16(truncatingIfNeeded: (1 << bits) - 1)
        }
        var table: [RGBA8] = []
        var colorCount = 0
        var hasAlpha = header.colorType.hasAlpha
        switch header.colorType {
        case .gray:
            if let key = word(0) {
                hasAlpha = true
                kind = isDeep ? .keyedGray16(key: key) : .keyedGray(bits: bits, key: Int(key))
            } else {
                kind = isDeep ? .gray16 : bits == 8 ? .gray8 : .gray(bits: bits)
            }
        case .grayAlpha: kind = isDeep ? .grayAlpha16 : .grayAlpha8
        case .rgb:
            if let red = word(0), let green = word(1), let blue = word(2) {
                hasAlpha = true
                kind =
                    isDeep
                    ? .keyedRGB16(red: red, green: green, blue: blue)
                    : .keyedRGB8(key: UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16)
            } else {
                kind = isDeep ? .rgb16 : .rgb8
            }
        case .rgba: kind = isDeep ? .rgba16 : .rgba8
        case .indexed:
            kind = .indexed(bits: bits)
            let palette = ancillary.palette ?? []
            colorCount = palette.count / 3
            table = (0..<256).map { index in
                guard index < colorCount else { return RGBA8(0, 0, 0) }
                let alpha = key.map { index < $0.count ? $0[index] : 255 } ?? 255
                return RGBA8(palette[3 * index], palette[3 * index + 1], palette[3 * index + 2], alpha)
            }
            hasAlpha = key.map { $0.prefix(colorCount).contains { $0 < 255 } } ?? false
        }
        self.table = table
        self.colorCount = colorCount
        self.hasAlpha = hasAlpha
        let isGray = header.colorType == .gray && !hasAlpha
        format = (isGray ? PixelFormat.gray8 : .rgba8).withBitsPerChannel(keepsDepth ? 16 : 8)
    }

    /// Whether every index of an indexed row has a colour.
    func isWithinPalette(_ row: UnsafePointer<UInt8>, width: Int) -> Bool {
        guard case .indexed(let bits) = kind, colorCount < 1 << bits else { return true }
        var largest: UInt8 = 0
        if bits == 8 {
            for x in 0..<width { largest = max(largest, row[x]) }
        } else {
            Self.forEachSample(row, width: width, bits: bits) { _, value in largest = max(largest, UInt8(value)) }
        }
        return Int(largest) < colorCount
    }

    /// Writes `width` pixels in `format` to `target`.
    func expand(_ row: UnsafePointer<UInt8>, to target: UnsafeMutableRawPointer, width: Int) {
        // All loops stay within `width` pixels of both rows; the row's length was computed from the same width.
        switch kind {
        case .gray8: target.copyMemory(from: row, byteCount: width)
        case .rgba8: target.copyMemory(from: row, byteCount: 4 * width)
        case .gray(let bits):
            let (pixels, scale) = (target.assumingMemoryBound(to: UInt8.self), 255 / ((1 << bits) - 1))
            Self.forEachSample(row, width: width, bits: bits) { x, value in
                pixels[x] = UInt8(truncatingIfNeeded: value &* scale)
            }
        case .keyedGray(let bits, let key):
            let (pixels, scale) = (target.assumingMemoryBound(to: RGBA8.self), 255 / ((1 << bits) - 1))
            Self.forEachSample(row, width: width, bits: bits) { x, value in
                let gray = UInt8(truncatingIfNeeded: value &* scale)
                pixels[x] = RGBA8(gray, gray, gray, value == key ? 0 : 255)
            }
        case .indexed(let bits): expandIndexed(row, to: target, width: width, bits: bits)
        case .grayAlpha8:
            let pixels = target.assumingMemoryBound(to: UInt32.self)
            for x in 0..<width {
                let gray = UInt32(row[2 &* x])
                let alpha = UInt32(row[2 &* x &+ 1])
                pixels[x] = UInt32(littleEndian: gray &* 0x01_01_01 | alpha &<< 24)
            }
        case .rgb8: Self.expandRGB8(row, to: target, width: width)
        case .keyedRGB8(let key):
            Self.expandRGB8(row, to: target, width: width)
            let pixels = target.assumingMemoryBound(to: UInt32.self)
            for x in 0..<width where UInt32(littleEndian: pixels[x]) & 0xFF_FFFF == key {
                pixels[x] = UInt32(littleEndian: key)
            }
        case .gray16: expandWords(row, to: target, count: width)
        case .rgba16: expandWords(row, to: target, count: 4 * width)
        case .keyedGray16, .grayAlpha16, .rgb16, .keyedRGB16: expandDeep(row, to: target, width: width)
        }
    }

    private func expandIndexed(
        _ row: UnsafePointer<UInt8>, to target: UnsafeMutableRawPointer, width: Int, bits: Int
    ) {
        let pixels = target.assumingMemoryBound(to: RGBA8.self)
        table.withUnsafeBufferPointer { table in
            // The table has an entry for every byte.
            guard let colors = table.baseAddress else { return }
            if bits == 8 {
                for x in 0..<width { pixels[x] = colors[Int(row[x])] }
            } else {
                Self.forEachSample(row, width: width, bits: bits) { x, value in pixels[x] = colors[value] }
            }
        }
    }

    @inline(__always)
    private static func forEachSample(
        _ row: UnsafePointer<UInt8>, width: Int, bits: Int, _ body: (Int, Int) -> Void
    ) {
        let mask = (1 << bits) - 1
        var x = 0
        var index = 0
        while x < width {
            let byte = Int(row[index])
            index &+= 1
            var shift = 8 &- bits
            while shift >= 0, x < width {
                body(x, (byte &>> shift) & mask)
                x &+= 1
                shift &-= bits
            }
        }
    }

    private static func expandRGB8(_ row: UnsafePointer<UInt8>, to target: UnsafeMutableRawPointer, width: Int) {
        let source = UnsafeRawPointer(row)
        let pixels = target.assumingMemoryBound(to: UInt32.self)
        var x = 0
        // A word's fourth byte belongs to the next pixel; the last pixel has no byte after it.
        while x &+ 1 < width {
            let word = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 3 &* x, as: UInt32.self))
            pixels[x] = UInt32(littleEndian: word | 0xFF00_0000)
            x &+= 1
        }
        if x < width {
            let word = UInt32(row[3 * x]) | UInt32(row[3 * x + 1]) << 8 | UInt32(row[3 * x + 2]) << 16
            pixels[x] = UInt32(littleEndian: word | 0xFF00_0000)
        }
    }

    @inline(__always)
    private static func word(_ row: UnsafePointer<UInt8>, _ index: Int) -> UInt16 {
        UInt16(bigEndian: UnsafeRawPointer(row).loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self))
    }

    private func expandWords(_ row: UnsafePointer<UInt8>, to target: UnsafeMutableRawPointer, count: Int) {
        if format.bitsPerChannel == 16 {
            let values = target.assumingMemoryBound(to: UInt16.self)
            for index in 0..<count { values[index] = Self.word(row, index) }
        } else {
            let values = target.assumingMemoryBound(to: UInt8.self)
            for index in 0..<count { values[index] = Self.word(row, index).narrowed }
        }
    }

    /// Expands the 16-bit kinds whose channels change position.
    private func expandDeep(_ row: UnsafePointer<UInt8>, to target: UnsafeMutableRawPointer, width: Int) {
        @inline(__always)
        func fill(_ pixel: (Int) -> RGBA16) {
            if format == .rgba16 {
                let pixels = target.assumingMemoryBound(to: RGBA16.self)
                for x in 0..<width { pixels[x] = pixel(x) }
            } else {
                let pixels = target.assumingMemoryBound(to: RGBA8.self)
                for x in 0..<width {
                    let deep = pixel(x)
                    pixels[x] = RGBA8(
                        deep.red.narrowed, deep.green.narrowed, deep.blue.narrowed, deep.alpha.narrowed)
                }
            }
        }
        switch kind {
        case .keyedGray16(let key):
            fill { x in
                let gray = Self.word(row, x)
                return RGBA16(gray, gray, gray, gray == key ? 0 : 65535)
            }
        case .grayAlpha16:
            fill { x in
                let gray = Self.word(row, 2 &* x)
                return RGBA16(gray, gray, gray, Self.word(row, 2 &* x &+ 1))
            }
        case .keyedRGB16(let red, let green, let blue):
            fill { x in
                let color = RGBA16(Self.word(row, 3 &* x), Self.word(row, 3 &* x &+ 1), Self.word(row, 3 &* x &+ 2))
                let isKey = color.red == red && color.green == green && color.blue == blue
                return RGBA16(color.red, color.green, color.blue, isKey ? 0 : 65535)
            }
        default:
            fill { x in RGBA16(Self.word(row, 3 &* x), Self.word(row, 3 &* x &+ 1), Self.word(row, 3 &* x &+ 2)) }
        }
    }
}
