/// PSD and PSB files put together section by section.
struct PSDFixture {
    var width = 3
    var height = 2
    var bits = 8
    var mode = 3
    var isLarge = false
    /// Rows of each channel, as stored.
    var channels: [[[UInt8]]] = []
    var isPacked = false
    var palette: [UInt8] = []
    /// Number and data.
    var resources: [(Int, [UInt8])] = []
    /// The number of layers; nil for an empty section.
    var layerCount: Int?

    static func big(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Runs and literals of a row.
    static func packed(_ row: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var x = 0
        while x < row.count {
            var run = 1
            while x + run < row.count, run < 128, row[x + run] == row[x] { run += 1 }
            bytes += run > 1 ? [UInt8(257 - run), row[x]] : [0, row[x]]
            x += run
        }
        // A byte without meaning.
        return bytes + [128]
    }

    var file: [UInt8] {
        let big = Self.big
        var bytes = Array("8BPS".utf8) + big(isLarge ? 2 : 1, 2) + big(0, 6) + big(channels.count, 2)
        bytes += big(height, 4) + big(width, 4) + big(bits, 2) + big(mode, 2)
        bytes += big(palette.count, 4) + palette
        var blocks: [UInt8] = []
        for (number, data) in resources {
            blocks += Array("8BIM".utf8) + big(number, 2) + [0, 0]
            blocks += big(data.count, 4) + data
            if data.count % 2 == 1 { blocks.append(0) }
        }
        bytes += big(blocks.count, 4) + blocks
        bytes += layers
        bytes += big(isPacked ? 1 : 0, 2)
        let rows = channels.flatMap(\.self)
        guard isPacked else { return bytes + rows.flatMap(\.self) }
        let packed = rows.map(Self.packed)
        return bytes + packed.flatMap { big($0.count, isLarge ? 4 : 2) } + packed.flatMap(\.self)
    }

    /// The section of layers. With 8 bits they come first, with more in a block.
    private var layers: [UInt8] {
        let (big, width) = (Self.big, isLarge ? 8 : 4)
        guard let layerCount else { return big(0, width) }
        let info = big(layerCount, 2) + [0, 0]
        var section = bits == 8 ? big(info.count, width) + info + big(0, 4) : big(0, width) + big(0, 4)
        if bits != 8 {
            let other = Array("8BIMPatt".utf8) + big(3, 4) + [1, 2, 3, 0]
            section += other + Array("8BIM\(bits == 16 ? "Lr16" : "Lr32")".utf8) + big(info.count, width) + info
        }
        return big(section.count, width) + section
    }
}
