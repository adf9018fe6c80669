import Raster
import TestSupport

/// A GIF file put together from frames of indices, by the book and without any of the code under test: a clear code
/// before the table can grow, so that every code stands for one index and has the same width.
struct GIFFixture {
    /// One frame.
    struct Frame {
        var x = 0
        var y = 0
        var width: Int
        var height: Int
        /// Row after row, from the top.
        var indices: [UInt8]
        var palette: [UInt8] = []
        var isInterlaced = false
        /// 0 to 7, as stored.
        var disposal = 0
        var delay = 0
        var transparentIndex: UInt8?
        var minimumCodeSize = 4
        /// Codes in place of those for the indices.
        var codes: [UInt8]?

        init(_ width: Int, _ height: Int, seed: Int = 0, colors: Int = 16) {
            (self.width, self.height) = (width, height)
            var random = SeededGenerator(UInt64(width * 977 + height * 131 + seed))
            indices = (0..<(width * height)).map { _ in UInt8.random(in: 0..<UInt8(colors), using: &random) }
        }
    }

    var version = "89a"
    var width: Int
    var height: Int
    var palette: [UInt8] = GIFFixture.sixteenColors
    var frames: [Frame]
    /// What stands between the palette and the first frame.
    var extensions: [[UInt8]] = []
    var trailer: [UInt8] = [0x3B]

    /// A file of frames on a canvas.
    init(_ width: Int, _ height: Int, _ frames: [Frame]) {
        (self.width, self.height, self.frames) = (width, height, frames)
    }

    /// A still of sixteen colours.
    init(_ width: Int, _ height: Int, seed: Int = 0) {
        self.init(width, height, [Frame(width, height, seed: seed)])
    }

    static let sixteenColors: [UInt8] = (0..<16).flatMap { (index: Int) -> [UInt8] in
        let (red, green, blue) = (index * 17, 255 - index * 16, index * 37 & 255)
        return [UInt8(red), UInt8(green), UInt8(blue)]
    }

    /// An application extension that says how often frames are repeated.
    static func loops(_ repetitions: Int, name: String = "NETSCAPE2.0") -> [UInt8] {
        [0x21, 0xFF, 11] + Array(name.utf8) + [3, 1, UInt8(repetitions & 255), UInt8(repetitions >> 8), 0]
    }

    /// An application extension of bytes in blocks.
    static func application(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        [0x21, 0xFF, 11] + Array(name.utf8) + blocks(bytes, of: 255)
    }

    /// An application extension of an XMP packet, which isn't in blocks.
    static func xmp(_ packet: [UInt8]) -> [UInt8] {
        [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + packet + [1] + Array((UInt8(0)...255).reversed()) + [0]
    }

    /// The file.
    var bytes: [UInt8] {
        var file = Array("GIF\(version)".utf8) + Self.number(width) + Self.number(height)
        file += [palette.isEmpty ? 0 : 0x80 | Self.tableSize(palette), 0, 0] + palette
        for item in extensions { file += item }
        for frame in frames { file += Self.encode(frame) }
        return file + trailer
    }

    static func encode(_ frame: Frame) -> [UInt8] {
        let transparent = frame.transparentIndex
        var bytes: [UInt8] = [
            0x21, 0xF9, 4, UInt8(frame.disposal << 2) | (transparent == nil ? 0 : 1), UInt8(frame.delay & 255),
            UInt8(frame.delay >> 8), transparent ?? 0, 0,
        ]
        bytes += [0x2C] + [frame.x, frame.y, frame.width, frame.height].flatMap(number)
        bytes.append((frame.palette.isEmpty ? 0 : 0x80 | tableSize(frame.palette)) | (frame.isInterlaced ? 0x40 : 0))
        bytes += frame.palette
        bytes.append(UInt8(frame.minimumCodeSize))
        return bytes + blocks(frame.codes ?? codes(frame), of: 100)
    }

    private static func codes(_ frame: Frame) -> [UInt8] {
        guard frame.width > 0, frame.height > 0 else { return [] }
        var order = Array(0..<frame.height)
        if frame.isInterlaced {
            order =
                [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: frame.height, by: $0.1)) }
        }
        let stored = order.flatMap { frame.indices[($0 * frame.width)..<(($0 + 1) * frame.width)] }
        let clear = 1 << frame.minimumCodeSize
        var codes: [Int] = []
        for (position, index) in stored.enumerated() {
            if position % (clear - 2) == 0 { codes.append(clear) }
            codes.append(Int(index))
        }
        return pack(codes + [clear + 1], width: frame.minimumCodeSize + 1)
    }

    /// Codes of one width, the lowest bits first.
    static func pack(_ codes: [Int], width: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (codes.count * width + 7) / 8)
        for (position, code) in codes.enumerated() {
            for bit in 0..<width where code >> bit & 1 == 1 {
                bytes[(position * width + bit) / 8] |= 1 << UInt8((position * width + bit) % 8)
            }
        }
        return bytes
    }

    static func blocks(_ bytes: [UInt8], of size: Int) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: size).flatMap { (start) -> [UInt8] in
            let block = bytes[start..<min(bytes.count, start + size)]
            return [UInt8(block.count)] + block
        } + [0]
    }

    private static func tableSize(_ palette: [UInt8]) -> UInt8 {
        UInt8((palette.count / 3).trailingZeroBitCount - 1)
    }

    static func number(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    /// The color of an index in a frame.
    private func color(_ index: UInt8, _ frame: Frame) -> RGBA8 {
        let table = frame.palette.isEmpty ? palette : frame.palette
        let at = 3 * Int(index)
        return index == frame.transparentIndex ? RGBA8(0, 0, 0, 0) : RGBA8(table[at], table[at + 1], table[at + 2])
    }

    /// Every frame as it is shown, made pixel by pixel after the specification.
    var shown: [[RGBA8]] {
        var canvas = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: width * height)
        return frames.map { frame in
            let before = canvas
            func forEachPixel(_ body: (Int, UInt8) -> Void) {
                for y in 0..<frame.height where frame.y + y < height {
                    for x in 0..<frame.width where frame.x + x < width {
                        body((frame.y + y) * width + frame.x + x, frame.indices[y * frame.width + x])
                    }
                }
            }
            forEachPixel { place, index in
                if index != frame.transparentIndex { canvas[place] = color(index, frame) }
            }
            let result = canvas
            if frame.disposal == 2 { forEachPixel { place, _ in canvas[place] = RGBA8(0, 0, 0, 0) } }
            if frame.disposal == 3 { canvas = before }
            return result
        }
    }
}
