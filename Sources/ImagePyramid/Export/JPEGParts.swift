internal import JPEGBitstream
internal import Raster

/// A JPEG split into tables and the rest, as TIFF stores it.
struct JPEGParts {
    /// The DQT and DHT segments.
    var tables: [UInt8] = []
    /// The SOF segment's fields.
    var size: PixelSize
    var componentCount: Int
    /// The sampling factors of the first component; those of the others are 1 × 1.
    var sampling: (horizontal: Int, vertical: Int)
    /// Whether the Huffman tables have a code for every symbol, so that they can encode any tile.
    var hasWholeTables: Bool
    /// The file without tables and application segments.
    var rest: [UInt8] = []

    /// Splits `bytes`.
    /// - Throws: `corrupt` for anything but a baseline JPEG of one or three components; `invalidParameter` for sampling
    ///   factors that TIFF can't represent.
    init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        let structure = JPEGStructure(of: bytes.bytes)
        guard structure.failure == nil, let frame = structure.frame, let scan = structure.scans.first,
            [.startOfFrame(0), .startOfFrame(1)].contains(frame.marker), frame.precision == 8,
            [1, 3].contains(frame.components.count)
        else { throw ImageError(.corrupt, "a tile is no JPEG that TIFF takes", byteOffset: structure.failure?.offset) }
        // YCbCrSubSampling (TIFF 6.0, section 21) has a factor for luma alone, and none for grey.
        for component in frame.components.dropFirst(frame.components.count == 1 ? 0 : 1) {
            let (horizontal, vertical) = (component.horizontalSampling, component.verticalSampling)
            guard horizontal == 1, vertical == 1 else {
                throw ImageError(
                    .invalidParameter,
                    "a JPEG tile in TIFF can't have a component \(component.identifier) with the sampling factors "
                        + "\(horizontal)×\(vertical); they must be 1×1")
            }
        }
        size = PixelSize(width: frame.width, height: frame.height)
        componentCount = frame.components.count
        sampling = (Int(frame.components[0].horizontalSampling), Int(frame.components[0].verticalSampling))
        var codeCounts: [UInt8: Int] = [:]
        for segment in structure.segments where segment.offset < scan.offset {
            let part = bytes[segment.offset..<segment.payload.upperBound]
            switch segment.marker {
            case .huffmanTables:
                tables.append(contentsOf: part)
                Self.countCodes(bytes, segment.payload, into: &codeCounts)
            case .quantizationTables: tables.append(contentsOf: part)
            case .comment: break
            case let marker where marker.isApplication: break
            default: rest.append(contentsOf: part)
            }
        }
        rest.append(contentsOf: bytes[scan.offset...])
        hasWholeTables =
            codeCounts.count >= min(4, componentCount * 2)
            && codeCounts.allSatisfy { $0.key >> 4 == 0 ? $0.value >= 12 : $0.value >= 162 }
    }

    /// Counts the codes in each table of a DHT segment.
    private static func countCodes(
        _ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>, into counts: inout [UInt8: Int]
    ) {
        var position = payload.lowerBound
        while position + 17 <= payload.upperBound {
            let count = (1...16).reduce(0) { $0 + Int(bytes[position + $1]) }
            counts[bytes[position]] = count
            position += 17 + count
        }
    }
}
