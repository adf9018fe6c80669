import Raster
import TestSupport

/// Random samples that are the same in every run.
struct Noise {
    private var generator: SeededGenerator

    init(_ seed: UInt64) { generator = SeededGenerator(seed) }

    mutating func next() -> UInt64 { generator.next() }

    /// A value of `bits` bits that is often the smallest or the largest.
    mutating func channel(_ bits: Int) -> Int {
        let largest = (1 << bits) - 1
        return switch next() % 8 {
        case 0: 0
        case 1: largest
        default: Int(next() >> 20) & largest
        }
    }
}

/// Channels of a picture as numbers, row after row, whatever its format: what references are computed on.
struct Samples: Equatable {
    var size: PixelSize
    var channelCount: Int
    var values: [Int]

    init(size: PixelSize, channelCount: Int, values: [Int]) {
        self.size = size
        self.channelCount = channelCount
        self.values = values
    }

    init(_ bitmap: Bitmap) {
        size = bitmap.size
        channelCount = bitmap.format.channelCount
        let bytes = bitmap.tightBytes()
        if bitmap.format.bitsPerChannel == 8 {
            values = bytes.map { Int($0) }
        } else {
            values = stride(from: 0, to: bytes.count, by: 2).map { index in
                Int(UInt16(littleEndian: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8))
            }
        }
    }

    subscript(x: Int, y: Int, channel: Int) -> Int { values[(y * size.width + x) * channelCount + channel] }

    /// The pixels at (`x`, `y`).
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        let start = (y * size.width + x) * channelCount
        return Array(values[start..<(start + channelCount)])
    }

    /// The largest difference of any value.
    func largestDifference(_ other: Samples) -> Int {
        zip(values, other.values).map { abs($0 - $1) }.max() ?? 0
    }

    func makeBitmap(_ info: BitmapInfo) throws -> Bitmap {
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        var index = 0
        for y in 0..<info.size.height {
            switch info.format {
            case .gray8:
                var row = rows.row(y, as: Gray8.self)
                for x in row.indices { row[x] = Gray8(UInt8(values[index + x])) }
            case .gray16:
                var row = rows.row(y, as: Gray16.self)
                for x in row.indices { row[x] = Gray16(UInt16(values[index + x])) }
            case .rgba8:
                var row = rows.row(y, as: RGBA8.self)
                for x in row.indices {
                    let v = values[(index + 4 * x)..<(index + 4 * x + 4)].map { UInt8($0) }
                    row[x] = RGBA8(v[0], v[1], v[2], v[3])
                }
            case .rgba16:
                var row = rows.row(y, as: RGBA16.self)
                for x in row.indices {
                    let v = values[(index + 4 * x)..<(index + 4 * x + 4)].map { UInt16($0) }
                    row[x] = RGBA16(v[0], v[1], v[2], v[3])
                }
            }
            index += info.size.width * channelCount
        }
        return bitmap.freeze()
    }
}

/// A picture of noise that obeys its alpha mode: opaque where there is none, no colour above a premultiplied alpha.
func noisePicture(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ alpha: AlphaMode = .none, seed: UInt64 = 1
) throws -> Bitmap {
    var noise = Noise(seed)
    let info = BitmapInfo(size: PixelSize(width: width, height: height), format: format, alpha: alpha)
    var values: [Int] = []
    let bits = format.bitsPerChannel
    for _ in 0..<(width * height) {
        if format.isGray {
            values.append(noise.channel(bits))
        } else {
            let a = info.alpha == .none ? (1 << bits) - 1 : noise.channel(bits)
            for _ in 0..<3 {
                let value = noise.channel(bits)
                values.append(info.alpha == .premultiplied ? min(value, a) : value)
            }
            values.append(a)
        }
    }
    return try Samples(size: info.size, channelCount: format.channelCount, values: values).makeBitmap(info)
}

/// Hands out another source's rows a few at a time, as a decoder would.
final class StingySource: RowSource {
    private let source: any RowSource
    private let rowCount: Int
    private let failsAfter: Int
    private var delivered = 0

    init(_ bitmap: Bitmap, rowCount: Int, failsAfter: Int = .max) {
        source = bitmap.makeRowSource()
        self.rowCount = rowCount
        self.failsAfter = failsAfter
    }

    var info: BitmapInfo { source.info }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard delivered < failsAfter else { throw ImageError(.corrupt, "row \(delivered) is damaged") }
        var few = rows.extracting(0..<min(rows.count, rowCount, failsAfter - delivered))
        let count = try source.read(into: &few)
        delivered += count
        return count
    }
}
