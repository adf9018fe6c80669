import Raster
import TestSupport

/// BMP files put together field by field, and what their pixels must be.
struct BMPFixture {
    var width = 5
    var height = 3
    var headerByteCount = 40
    var bitsPerPixel = 8
    var compression = 0
    var isTopDown = false
    /// Colours, at most as many as the bits allow.
    var palette: [RGBA8] = []
    /// What the header says of their number; nil for their number.
    var colorsUsed: Int?
    /// Red, green, blue and, with compression 6 or a longer header, alpha.
    var masks: [UInt32] = []
    var pixelsPerMetre = (0, 0)
    /// Stored pixels from the top left: indices, or the bits of a pixel.
    var pixels: [UInt32] = []
    /// Bytes of pixels instead of `pixels`.
    var data: [UInt8]?
    /// What stands in the file header instead of the right offset.
    var pixelOffset: Int?
    /// Bytes from byte 56 of a version 4 or 5 header on.
    var colorSpace: [UInt8] = []
    /// Bytes after the pixels.
    var tail: [UInt8] = []

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Rows as the file has them: packed from the most significant bit on for indices, little-endian from 16 bits on.
    var packed: [UInt8] {
        var rows: [[UInt8]] = []
        for y in 0..<height {
            var row: [UInt8] = []
            for x in 0..<width {
                let pixel = pixels[y * width + x]
                if bitsPerPixel >= 8 {
                    row += Self.little(Int(pixel), bitsPerPixel / 8)
                } else {
                    let perByte = 8 / bitsPerPixel
                    if x % perByte == 0 { row.append(0) }
                    row[row.count - 1] |= UInt8(pixel) << UInt8(8 - bitsPerPixel * (x % perByte + 1))
                }
            }
            while row.count % 4 != 0 { row.append(0) }
            rows.append(row)
        }
        return Array((isTopDown ? rows : rows.reversed()).joined())
    }

    var header: [UInt8] {
        if headerByteCount == 12 {
            return Self.little(12, 4) + Self.little(width, 2) + Self.little(height, 2) + Self.little(1, 2)
                + Self.little(bitsPerPixel, 2)
        }
        var header = Self.little(headerByteCount, 4) + Self.little(width, 4)
        header += Self.little(isTopDown ? -height : height, 4) + Self.little(1, 2) + Self.little(bitsPerPixel, 2)
        header += Self.little(compression, 4) + Self.little(data?.count ?? packed.count, 4)
        header += Self.little(pixelsPerMetre.0, 4) + Self.little(pixelsPerMetre.1, 4)
        header += Self.little(colorsUsed ?? palette.count, 4) + Self.little(0, 4)
        if [52, 56, 108, 124].contains(headerByteCount) {
            for index in 0..<4 { header += Self.little(index < masks.count ? Int(masks[index]) : 0, 4) }
            header += colorSpace
        }
        header = Array(header.prefix(headerByteCount))
        header += [UInt8](repeating: 0, count: headerByteCount - header.count)
        if headerByteCount == 40 { for mask in masks { header += Self.little(Int(mask), 4) } }
        return header
    }

    var file: [UInt8] {
        var body = header
        for color in palette {
            body += [color.blue, color.green, color.red] + (headerByteCount == 12 ? [] : [0])
        }
        let offset = 14 + body.count
        body += data ?? packed
        body += tail
        return Array("BM".utf8) + Self.little(14 + body.count, 4) + Self.little(0, 4)
            + Self.little(pixelOffset ?? offset, 4) + body
    }

    /// Pixels that differ from each other, the same in every run.
    static func noise(_ count: Int, below limit: UInt64) -> [UInt32] {
        var random = SeededGenerator(UInt64(count) ^ limit)
        return (0..<count).map { _ in UInt32(UInt64.random(in: 0..<limit, using: &random)) }
    }

    static func colors(_ count: Int) -> [RGBA8] {
        noise(count, below: 1 << 24).map { RGBA8(UInt8($0 & 255), UInt8($0 >> 8 & 255), UInt8($0 >> 16)) }
    }

    /// A file of indices with random pixels and colours.
    static func indexed(_ bits: Int, headerByteCount: Int = 40, width: Int = 21, height: Int = 5) -> BMPFixture {
        BMPFixture(
            width: width, height: height, headerByteCount: headerByteCount, bitsPerPixel: bits,
            palette: colors(1 << bits), pixels: noise(width * height, below: 1 << bits))
    }

    /// A file of colours with random pixels.
    static func direct(_ bits: Int, compression: Int = 0, masks: [UInt32] = [], headerByteCount: Int = 40) -> BMPFixture
    {
        BMPFixture(
            width: 21, height: 5, headerByteCount: headerByteCount, bitsPerPixel: bits, compression: compression,
            masks: masks, pixels: noise(21 * 5, below: 1 << UInt64(bits)))
    }

    /// What the pixels must be, by the plain definitions.
    var expected: [RGBA8] {
        if bitsPerPixel <= 8 {
            return pixels.map { Int($0) < palette.count ? palette[Int($0)] : RGBA8(0, 0, 0) }
        }
        if bitsPerPixel == 24 {
            return pixels.map { RGBA8(UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255), UInt8($0 & 255)) }
        }
        let plain: [UInt32] = bitsPerPixel == 16 ? [0x7C00, 0x3E0, 0x1F] : [0xFF0000, 0xFF00, 0xFF]
        let masks = masks.isEmpty ? plain : masks
        return pixels.map { pixel in
            func channel(_ index: Int, missing: UInt8) -> UInt8 {
                guard index < masks.count, masks[index] != 0 else { return missing }
                let maximum = masks[index] >> UInt32(masks[index].trailingZeroBitCount)
                let value = (pixel & masks[index]) >> UInt32(masks[index].trailingZeroBitCount)
                return UInt8((Double(value) * 255 / Double(maximum)).rounded())
            }
            return RGBA8(
                channel(0, missing: 0), channel(1, missing: 0), channel(2, missing: 0), channel(3, missing: 255))
        }
    }
}
