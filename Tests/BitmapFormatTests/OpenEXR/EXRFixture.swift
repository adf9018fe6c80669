import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport

/// An OpenEXR file of five by three pixels without compression, put together attribute by attribute.
struct EXRFixture {
    enum Kind: UInt8, Sendable {
        case half = 1
        case float = 2
    }

    var kind = Kind.half
    var tile: PixelSize?
    var origin = (0, 0)
    /// The size in the header, if it isn't the pixels'.
    var claimedSize: PixelSize?
    var compression: UInt8 = 0
    /// Channels in the order of the file.
    var names = ["B", "G", "R"]
    /// The values of each channel, row by row; others are 7.
    var values: [String: [Float]] = [
        "R": (0..<15).map { Float($0) / 8 }, "G": (0..<15).map { Float(15 - $0) / 16 },
        "B": (0..<15).map { $0 == 3 ? 4 : 0.25 }, "Y": (0..<15).map { Float($0) / 4 },
    ]

    static let (width, height) = (5, 3)

    #if OpenEXR
    /// Whether the library is installed.
    static let isReadable =
        errorCode { try ImageSource.decode(EXRFixture().file, registry: CodecRegistry([EXRCodec()])) } == nil
    #endif

    /// Red, green and blue of each pixel.
    var light: [SIMD3<Double>] {
        (0..<15).map { SIMD3(Double(values["R"]![$0]), Double(values["G"]![$0]), Double(values["B"]![$0])) }
    }

    private static func little(_ value: Int, _ byteCount: Int = 4) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] {
        Array(name.utf8) + [0] + Array(type.utf8) + [0] + little(value.count) + value
    }

    private var header: [UInt8] {
        let little = Self.little
        let size = claimedSize ?? PixelSize(width: Self.width, height: Self.height)
        let (x, y) = origin
        let window = little(x, 4) + little(y, 4) + little(x + size.width - 1, 4) + little(y + size.height - 1, 4)
        let channels = names.flatMap { name -> [UInt8] in
            Array(name.utf8) + [0, kind.rawValue, 0, 0, 0, 0, 0, 0, 0] + little(1, 4) + little(1, 4)
        }
        var bytes: [UInt8] = [0x76, 0x2F, 0x31, 1, 2, tile == nil ? 0 : 2, 0, 0]
        bytes += Self.attribute("channels", "chlist", channels + [0])
        bytes += Self.attribute("compression", "compression", [compression])
        bytes += Self.attribute("dataWindow", "box2i", window)
        bytes += Self.attribute("displayWindow", "box2i", window)
        bytes += Self.attribute("lineOrder", "lineOrder", [0])
        bytes += Self.attribute("pixelAspectRatio", "float", [0, 0, 128, 63])
        bytes += Self.attribute("screenWindowCenter", "v2f", little(0, 8))
        bytes += Self.attribute("screenWindowWidth", "float", [0, 0, 128, 63])
        if let tile {
            bytes += Self.attribute("tiles", "tiledesc", little(tile.width, 4) + little(tile.height, 4) + [0])
        }
        return bytes + [0]
    }

    private func samples(_ name: String, _ y: Int, _ columns: Range<Int>) -> [UInt8] {
        columns.flatMap { x -> [UInt8] in
            let value = values[name]?[y * Self.width + x] ?? 7
            return kind == .float
                ? Self.little(Int(value.bitPattern)) : Self.little(Int(Float16Bits.of(value)), 2)
        }
    }

    var file: [UInt8] {
        let (little, header) = (Self.little, header)
        var chunks: [[UInt8]] = []
        if let tile {
            for top in stride(from: 0, to: Self.height, by: tile.height) {
                for left in stride(from: 0, to: Self.width, by: tile.width) {
                    let columns = left..<min(Self.width, left + tile.width)
                    let data = (top..<min(Self.height, top + tile.height)).flatMap { y in
                        names.flatMap { samples($0, y, columns) }
                    }
                    let place = little(left / tile.width, 4) + little(top / tile.height, 4) + little(0, 8)
                    chunks.append(place + little(data.count, 4) + data)
                }
            }
        } else {
            for y in 0..<Self.height {
                let data = names.flatMap { samples($0, y, 0..<Self.width) }
                chunks.append(little(origin.1 + y, 4) + little(data.count, 4) + data)
            }
        }
        var (bytes, offset) = (header, header.count + 8 * chunks.count)
        for chunk in chunks {
            bytes += little(offset, 8)
            offset += chunk.count
        }
        return bytes + chunks.flatMap(\.self)
    }
}

/// Halves, which Swift hasn't on every processor.
enum Float16Bits {
    /// The bits of a normal, positive half with the value, or 0.
    static func of(_ value: Float) -> UInt16 {
        guard value > 0 else { return 0 }
        let bits = value.bitPattern
        let exponent = Int(bits >> 23) - 127 + 15
        return UInt16(exponent << 10 | Int(bits >> 13 & 0x3FF))
    }
}
