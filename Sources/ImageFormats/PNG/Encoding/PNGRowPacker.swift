internal import Raster

/// Converts rows of pixels to stored rows, before filtering.
///
/// Information that the stored form lacks must be redundant: opaque alpha, equal channels, equal bytes.
struct PNGRowPacker {
    private let source: PixelFormat
    let header: PNGHeader
    private let table: ColorTable?

    init(from source: PixelFormat, to header: PNGHeader, palette: PNGPalette? = nil) {
        self.source = source
        self.header = header
        table = palette.map { ColorTable($0.colors) }
    }

    /// Packs row `y` into `target`, which must have room for it.
    func pack(_ rows: borrowing PixelRows, _ y: Int, into target: UnsafeMutablePointer<UInt8>) {
        switch (source, header.colorType, header.bitDepth) {
        case (.gray8, .gray, 8), (.rgba8, .rgba, 8):
            rows.bytes(y).withUnsafeBytes { bytes in
                UnsafeMutableRawPointer(target).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
            }
        case (.gray16, .gray, 16), (.rgba16, .rgba, 16):
            let row = rows.bytes(y)
            for index in 0..<(row.byteCount / 2) {
                // Bitmap rows consist of whole words.
                Self.store(row.unsafeLoad(fromByteOffset: 2 &* index, as: UInt16.self), in: target, index)
            }
        case (.rgba8, .rgb, 8): packRGB(rows.row(y, as: RGBA8.self), into: target)
        case (.rgba16, .rgb, 16):
            let row = rows.row(y, as: RGBA16.self)
            for x in row.indices {
                let pixel = row[x]
                Self.store(pixel.red, in: target, 3 &* x)
                Self.store(pixel.green, in: target, 3 &* x &+ 1)
                Self.store(pixel.blue, in: target, 3 &* x &+ 2)
            }
        case (.rgba16, .gray, 16), (.rgba16, .grayAlpha, 16):
            let row = rows.row(y, as: RGBA16.self)
            let channels = header.colorType.channelCount
            for x in row.indices {
                Self.store(row[x].red, in: target, channels &* x)
                if channels == 2 { Self.store(row[x].alpha, in: target, 2 &* x &+ 1) }
            }
        default: packReduced(rows, y, into: target)
        }
    }

    @inline(__always)
    private static func store(_ value: UInt16, in target: UnsafeMutablePointer<UInt8>, _ index: Int) {
        UnsafeMutableRawPointer(target).storeBytes(of: value.bigEndian, toByteOffset: 2 &* index, as: UInt16.self)
    }

    private func packRGB(_ row: Span<RGBA8>, into target: UnsafeMutablePointer<UInt8>) {
        let target = UnsafeMutableRawPointer(target)
        row.withUnsafeBytes { bytes in
            let count = bytes.count / 4
            // The next pixel overwrites a word's fourth byte; the last pixel is stored byte by byte.
            for x in 0..<(count &- 1) {
                let word = bytes.load(fromByteOffset: 4 &* x, as: UInt32.self)
                target.storeBytes(of: word, toByteOffset: 3 &* x, as: UInt32.self)
            }
            for channel in 0..<3 {
                target.storeBytes(
                    of: bytes[4 * (count - 1) + channel], toByteOffset: 3 * (count - 1) + channel, as: UInt8.self)
            }
        }
    }

    /// Packs a row of a less common combination by way of 8-bit pixels.
    private func packReduced(_ rows: borrowing PixelRows, _ y: Int, into target: UnsafeMutablePointer<UInt8>) {
        switch source {
        case .gray8:
            let row = rows.row(y, as: Gray8.self)
            put(row.count, into: target) { RGBA8(row[$0].value, row[$0].value, row[$0].value) }
        case .gray16:
            let row = rows.row(y, as: Gray16.self)
            put(row.count, into: target) { x in
                let value = UInt8(truncatingIfNeeded: row[x].value)
                return RGBA8(value, value, value)
            }
        case .rgba8:
            let row = rows.row(y, as: RGBA8.self)
            put(row.count, into: target) { row[$0] }
        case .rgba16:
            let row = rows.row(y, as: RGBA16.self)
            put(row.count, into: target) { RGBA8(lowerBytesOf: row[$0]) }
        }
    }

    @inline(__always)
    private func put(_ width: Int, into target: UnsafeMutablePointer<UInt8>, _ pixel: (Int) -> RGBA8) {
        switch header.colorType {
        case .gray where header.bitDepth == 8:
            for x in 0..<width { target[x] = pixel(x).red }
        case .gray:
            let shift = UInt8(8 - header.bitDepth)
            Self.putBits(width, bits: header.bitDepth, into: target) { pixel($0).red >> shift }
        case .grayAlpha:
            for x in 0..<width {
                target[2 &* x] = pixel(x).red
                target[2 &* x &+ 1] = pixel(x).alpha
            }
        case .rgb:
            for x in 0..<width {
                let color = pixel(x)
                target[3 &* x] = color.red
                target[3 &* x &+ 1] = color.green
                target[3 &* x &+ 2] = color.blue
            }
        case .rgba:
            for x in 0..<width {
                let color = pixel(x)
                target[4 &* x] = color.red
                target[4 &* x &+ 1] = color.green
                target[4 &* x &+ 2] = color.blue
                target[4 &* x &+ 3] = color.alpha
            }
        case .indexed:
            guard let table else { return }
            var last = pixel(0)
            var index = table.index(of: last)
            Self.putBits(width, bits: header.bitDepth, into: target) { x in
                let color = pixel(x)
                if color != last {
                    last = color
                    index = table.index(of: color)
                }
                return index
            }
        }
    }

    @inline(__always)
    private static func putBits(
        _ width: Int, bits: Int, into target: UnsafeMutablePointer<UInt8>, _ value: (Int) -> UInt8
    ) {
        var (byte, used, written) = (UInt8(0), 0, 0)
        for x in 0..<width {
            byte |= value(x) << UInt8(8 - bits - used)
            used += bits
            if used == 8 {
                target[written] = byte
                (byte, used, written) = (0, 0, written + 1)
            }
        }
        if used > 0 { target[written] = byte }
    }
}
