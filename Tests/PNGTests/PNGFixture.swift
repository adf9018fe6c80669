import Testing
import TestSupport

/// A PNG file put together from random samples, by the book and without any of the code under test: stored deflate
/// blocks, checksums bit by bit.
struct PNGFixture: CustomTestStringConvertible {
    var width: Int
    var height: Int
    var bitDepth: Int
    var colorType: Int
    var isInterlaced = false
    var palette: [UInt8] = []
    var transparency: [UInt8] = []
    /// What stands between the header and the palette.
    var chunks: [(type: String, data: [UInt8])] = []
    /// Bytes in one IDAT chunk, at most.
    var imageDataByteCount = 1000
    private let samples: [Int]

    var testDescription: String {
        "\(width)x\(height) type \(colorType) depth \(bitDepth)\(isInterlaced ? " interlaced" : "")"
            + (transparency.isEmpty ? "" : " tRNS")
    }

    private var channelCount: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType]! }

    init(
        _ width: Int, _ height: Int, colorType: Int, bitDepth: Int, isInterlaced: Bool = false, isKeyed: Bool = false,
        seed: UInt64 = 1
    ) {
        var random = SeededGenerator(seed &+ UInt64(width * 977 + height * 131 + colorType * 17 + bitDepth))
        (self.width, self.height, self.colorType, self.bitDepth) = (width, height, colorType, bitDepth)
        self.isInterlaced = isInterlaced
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType]!
        // Few different values, so that neighbours resemble each other and a key colour is met more than once.
        let choices = (0..<5).map { _ in Int.random(in: 0..<(1 << bitDepth), using: &random) }
        samples = (0..<(width * height * channels)).map { _ in
            Int.random(in: 0..<4, using: &random) == 0
                ? Int.random(in: 0..<(1 << bitDepth), using: &random) : choices.randomElement(using: &random)!
        }
        if colorType == 3 {
            palette = (0..<(3 << bitDepth)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        if isKeyed {
            transparency =
                colorType == 3
                ? (0..<max(1, (1 << bitDepth) / 2)).map { _ in UInt8.random(in: 0...255, using: &random) }
                : (0..<channels).flatMap { [UInt8(samples[$0] >> 8), UInt8(samples[$0] & 255)] }
        }
    }

    /// The picture as libpng would expand it: red, green, blue, alpha of sixteen bits.
    var expected: [UInt16] {
        let largest = (1 << bitDepth) - 1
        let key = stride(from: 0, to: transparency.count & ~1, by: 2).map {
            Int(transparency[$0]) << 8 | Int(transparency[$0 + 1])
        }
        return (0..<(width * height)).flatMap { index -> [UInt16] in
            let stored = Array(samples[(index * channelCount)..<((index + 1) * channelCount)])
            let full = stored.map { UInt16($0 * 65535 / largest) }
            let alpha: UInt16 = stored == key && colorType != 3 ? 0 : 65535
            switch colorType {
            case 0: return [full[0], full[0], full[0], alpha]
            case 2: return full + [alpha]
            case 3:
                let at = stored[0]
                let color = (0..<3).map { UInt16(palette[3 * at + $0]) * 257 }
                return color + [at < transparency.count ? UInt16(transparency[at]) * 257 : 65535]
            case 4: return [full[0], full[0], full[0], full[1]]
            default: return full
            }
        }
    }

    /// The file.
    var bytes: [UInt8] {
        var file: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
        let header =
            Self.number(width) + Self.number(height) + [UInt8(bitDepth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0]
        file += Self.chunk("IHDR", header)
        for chunk in chunks { file += Self.chunk(chunk.type, chunk.data) }
        if !palette.isEmpty { file += Self.chunk("PLTE", palette) }
        if !transparency.isEmpty { file += Self.chunk("tRNS", transparency) }
        let data = Self.zlib(filteredRows)
        for start in stride(from: 0, to: data.count, by: imageDataByteCount) {
            file += Self.chunk("IDAT", Array(data[start..<min(data.count, start + imageDataByteCount)]))
        }
        return file + Self.chunk("IEND", [])
    }

    /// All rows, or all passes' rows, each behind its filter's number; the filters take turns.
    var filteredRows: [UInt8] {
        var result: [UInt8] = []
        let passes =
            isInterlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            : [(0, 0, 1, 1)]
        let distance = max(1, channelCount * bitDepth / 8)
        var filter = 0
        for (x0, y0, stepX, stepY) in passes {
            var prior: [UInt8]?
            for y in stride(from: y0, to: height, by: stepY) where x0 < width {
                let row = packed(stride(from: x0, to: width, by: stepX).map { (x: $0, y: y) })
                let above = prior ?? [UInt8](repeating: 0, count: row.count)
                // Runs of Paeth, since rows are undone several at a time.
                filter = (y / 6) % 2 == 0 ? 4 : (filter + 1) % 5
                result.append(UInt8(filter))
                for index in row.indices {
                    let a = index >= distance ? Int(row[index - distance]) : 0
                    let c = index >= distance ? Int(above[index - distance]) : 0
                    result.append(row[index] &- Self.predicted(filter, a, Int(above[index]), c))
                }
                prior = row
            }
        }
        return result
    }

    private func packed(_ pixels: [(x: Int, y: Int)]) -> [UInt8] {
        let values = pixels.flatMap { at in
            (0..<channelCount).map { samples[(at.y * width + at.x) * channelCount + $0] }
        }
        if bitDepth == 16 { return values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
        var row = [UInt8](repeating: 0, count: (values.count * bitDepth + 7) / 8)
        for (index, value) in values.enumerated() {
            let bit = index * bitDepth
            row[bit / 8] |= UInt8(value << (8 - bitDepth - bit % 8))
        }
        return row
    }

    private static func predicted(_ filter: Int, _ a: Int, _ b: Int, _ c: Int) -> UInt8 {
        switch filter {
        case 1: return UInt8(a)
        case 2: return UInt8(b)
        case 3: return UInt8((a + b) / 2)
        case 4:
            let p = a + b - c
            let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
            return UInt8(pa <= pb && pa <= pc ? a : pb <= pc ? b : c)
        default: return 0
        }
    }

    static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }

    static func chunk(_ type: String, _ data: [UInt8], checksum: UInt32? = nil) -> [UInt8] {
        let body = Array(type.utf8) + data
        var crc: UInt32 = ~0
        for byte in body {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return number(data.count) + body + number(Int(checksum ?? ~crc))
    }

    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        var stream: [UInt8] = [0x78, 0x01]
        let blocks = max(1, (bytes.count + 65534) / 65535)
        for block in 0..<blocks {
            let piece = bytes[(block * 65535)..<min(bytes.count, (block + 1) * 65535)]
            let (low, high) = (UInt8(piece.count & 255), UInt8(piece.count >> 8))
            stream += [block == blocks - 1 ? 1 : 0, low, high, ~low, ~high] + piece
        }
        return stream + number(b << 16 | a)
    }
}
