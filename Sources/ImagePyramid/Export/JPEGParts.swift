internal import Raster

/// A JPEG taken apart as TIFF wants it: the tables, and what is left.
struct JPEGParts {
    /// The DQT and DHT segments.
    var tables: [UInt8] = []
    /// The SOF segment's fields.
    var size: PixelSize
    var componentCount: Int
    /// Of the first component, against which the others are one each.
    var sampling: (horizontal: Int, vertical: Int)
    /// Whether the Huffman tables have a code for everything, so that every tile made with them can be.
    var hasWholeTables: Bool
    /// The file without tables and application segments.
    var rest: [UInt8] = []

    /// Takes `bytes` apart.
    /// - Throws: `corrupt` or `unsupported` for what is no baseline JPEG of one or three components.
    init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        func corrupt(_ offset: Int) -> ImageError {
            ImageError(.corrupt, "a tile is no JPEG that TIFF takes", byteOffset: offset)
        }
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw corrupt(0) }
        var frame: (size: PixelSize, components: Int, sampling: (horizontal: Int, vertical: Int))?
        var codeCounts: [UInt8: Int] = [:]
        var position = 2
        rest = [0xFF, 0xD8]
        while true {
            guard position + 4 <= bytes.count, bytes[position] == 0xFF else { throw corrupt(position) }
            let marker = bytes[position + 1]
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            let end = position + 2 + length
            guard length >= 2, end <= bytes.count else { throw corrupt(position) }
            switch marker {
            case 0xDB, 0xC4:
                tables.append(contentsOf: bytes[position..<end])
                if marker == 0xC4 { try Self.countCodes(bytes, position + 4, end, into: &codeCounts) }
            case 0xE0...0xEF, 0xFE:
                break
            case 0xC0, 0xC1:
                guard length >= 11, bytes[position + 4] == 8 else { throw corrupt(position) }
                let components = Int(bytes[position + 9])
                guard length == 8 + 3 * components, components == 1 || components == 3 else { throw corrupt(position) }
                let factors = bytes[position + 11]
                frame = (
                    PixelSize(
                        width: Int(bytes[position + 7]) << 8 | Int(bytes[position + 8]),
                        height: Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])),
                    components, (Int(factors >> 4), Int(factors & 15))
                )
                rest.append(contentsOf: bytes[position..<end])
            default:
                rest.append(contentsOf: bytes[position..<end])
            }
            position = end
            guard marker != 0xDA else { break }
        }
        guard let frame else { throw corrupt(position) }
        rest.append(contentsOf: bytes[position...])
        (size, componentCount, sampling) = frame
        hasWholeTables =
            codeCounts.count >= min(4, frame.components * 2)
            && codeCounts.allSatisfy { $0.key >> 4 == 0 ? $0.value >= 12 : $0.value >= 162 }
    }

    /// Counts the codes of each table of a DHT segment.
    private static func countCodes(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, into counts: inout [UInt8: Int]
    ) throws(ImageError) {
        var position = start
        while position < end {
            guard position + 17 <= end else { break }
            let count = (1...16).reduce(0) { $0 + Int(bytes[position + $1]) }
            counts[bytes[position]] = count
            position += 17 + count
        }
    }
}
