import CZlibOracle
import ImageFormats
import Raster

extension FuzzTarget {
    /// Unpacking and unfiltering what stands in a PNG's IDAT chunks, against zlib and the filters' plain formulas.
    ///
    /// The input is raw deflate data; the chunks around it are right, so that every mutation reaches the kernels.
    static let pngStream = FuzzTarget(name: "png-stream", seedExtensions: [], seeds: { PNGStream.seeds }) { input in
        let (unpacked, status) = PNGStream.inflate(input)
        let rows = PNGStream.unfilter(unpacked)
        // One row more than zlib made, so that both come to the end of what there is.
        let height = min(unpacked.count / PNGStream.rowByteCount + 1, PNGStream.maximumHeight)
        for pieceCount in [1, 3] {
            let (delivered, failed) = PNGStream.decode(input, height: height, pieceCount: pieceCount)
            precondition(delivered.count <= rows.count, "more rows than zlib's")
            precondition(delivered.elementsEqual(rows.prefix(delivered.count)), "other pixels than zlib's")
            // Of what is no deflate stream the last rows may be missing; of anything else none may.
            if status >= 0 { precondition(delivered.count == min(rows.count, height), "rows are missing") }
            precondition(failed || delivered.count == height, "rows are missing without a word")
        }
    }
}

/// Pictures of one grey byte a pixel, made around deflate data.
private enum PNGStream {
    static let width = 64
    static let rowByteCount = width + 1
    static let maximumHeight = 512

    static var seeds: [[UInt8]] {
        var lines: [UInt8] = []
        for y in 0..<200 {
            lines.append(UInt8(y % 5))
            for x in 0..<width { lines.append(UInt8(truncatingIfNeeded: x &* y / 7 &+ (x ^ y) &* 3)) }
        }
        return [0, 1, 6, 9].map { level in
            [UInt8](unsafeUninitializedCapacity: lines.count + 1024) { buffer, count in
                // Room for more than stored blocks take.
                count = zlib_oracle_deflate(lines, lines.count, Int32(level), buffer.baseAddress, buffer.count)
            }
        } + [[0x03, 0x00], [0x01, 0x01, 0x00, 0xFE, 0xFF, 0x00]]
    }

    static func inflate(_ input: [UInt8]) -> (bytes: [UInt8], status: Int32) {
        var status: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: rowByteCount * maximumHeight) { buffer, count in
            status = zlib_oracle_inflate(input, input.count, buffer.baseAddress, buffer.count, &count)
        }
        return (bytes, status)
    }

    /// The whole rows up to the first of an unknown filter (PNG, third edition, 9.2).
    static func unfilter(_ lines: [UInt8]) -> [[UInt8]] {
        var rows: [[UInt8]] = []
        var above = [UInt8](repeating: 0, count: width)
        for start in stride(from: 0, through: lines.count - rowByteCount, by: rowByteCount) {
            var row = [UInt8](repeating: 0, count: width)
            for x in 0..<width {
                let left = x > 0 ? Int(row[x - 1]) : 0
                let up = Int(above[x])
                let corner = x > 0 ? Int(above[x - 1]) : 0
                let prediction: Int
                switch lines[start] {
                case 0: prediction = 0
                case 1: prediction = left
                case 2: prediction = up
                case 3: prediction = (left + up) / 2
                case 4:
                    let (a, b, c) = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
                    prediction = a <= b && a <= c ? left : b <= c ? up : corner
                default: return rows
                }
                row[x] = lines[start + 1 + x] &+ UInt8(prediction)
            }
            rows.append(row)
            above = row
        }
        return rows
    }

    /// The rows that the decoder delivers, and whether it said that some are missing.
    static func decode(_ deflated: [UInt8], height: Int, pieceCount: Int) -> (rows: [[UInt8]], failed: Bool) {
        let file = Fixtures.png(
            width: width, height: height, stream: [0x78, 0x01] + deflated, pieceCount: pieceCount)
        var rows: [[UInt8]] = []
        do {
            let source = try ImageRowSource(Source(file), registry: CodecRegistry([PNGCodec()]))
            var bitmap = try MutableBitmap(
                BitmapInfo(size: PixelSize(width: width, height: 7), format: source.info.format))
            while true {
                let count = try bitmap.withMutableRows(0..<7) { (rows) throws(ImageError) in
                    try source.read(into: &rows)
                }
                guard count > 0 else { return (rows, false) }
                let strip = bitmap.rows
                for y in 0..<count {
                    let row = strip.row(y, as: Gray8.self)
                    rows.append(row.indices.map { row[$0].value })
                }
            }
        } catch {
            return (rows, true)
        }
    }
}
