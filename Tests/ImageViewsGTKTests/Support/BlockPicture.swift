import ImageFormats
import Raster

/// A picture too large to be held, of blocks of one colour each that say where they are even as a JPEG.
enum BlockPicture {
    /// 201 megapixels.
    static let size = PixelSize(width: 16384, height: 12288)
    private static let side = 16

    /// Every other block says its column, the ones between their row: five bits in red and five in green.
    static func color(_ x: Int, _ y: Int) -> RGBA8 {
        let (column, row) = (x / side, y / side)
        let isColumn = (column + row) & 1 == 0
        let number = isColumn ? column : row
        return RGBA8(UInt8((number >> 5) << 3 | 4), UInt8((number & 31) << 3 | 4), isColumn ? 60 : 190)
    }

    /// Writes it row by row.
    static func write(to path: String, size: PixelSize = Self.size, isProgressive: Bool = false) throws {
        var jpeg = EncodingOptions.JPEG(subsampling: .yuv444)
        jpeg.isProgressive = isProgressive
        let file = try AtomicFile(path: path, overwrites: true)
        try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.95, jpeg: jpeg)).encode(
            Rows(size), to: file)
        try file.commit()
    }

    private final class Rows: RowSource {
        let info: BitmapInfo
        private var next = 0
        private var colors: [RGBA8] = []

        init(_ size: PixelSize) { info = BitmapInfo(size: size, format: .rgba8, alpha: .none) }

        func read(into rows: inout MutablePixelRows) -> Int {
            let count = min(rows.count, info.size.height - next)
            for index in 0..<count {
                if next % BlockPicture.side == 0 { colors = (0..<info.size.width).map { BlockPicture.color($0, next) } }
                let line = colors
                let pixels = line.span
                var row = rows.row(index, as: RGBA8.self)
                for x in row.indices { row[x] = pixels[x] }
                next += 1
            }
            return count
        }
    }

    /// What is to be added to a capture's coordinates to have the picture's, where it is shown at one to one; nil where
    /// that isn't so. Looked for as far as 64 pixels from (`x`, `y`).
    static func offset(of capture: Bitmap, in rect: PixelRect, nearX x: Int, y: Int) -> (x: Int, y: Int)? {
        let samples = stride(from: rect.y, to: rect.y + rect.height, by: 61).flatMap { y in
            stride(from: rect.x, to: rect.x + rect.width, by: 47).map { ($0, y) }
        }
        for offsetY in y - 64...y + 64 {
            for offsetX in x - 64...x + 64
            where samples.allSatisfy({ isColor(capture.pixel($0, $1), color($0 + offsetX, $1 + offsetY)) }) {
                return match(capture, in: rect, offsetX, offsetY) > 0.999 ? (offsetX, offsetY) : nil
            }
        }
        return nil
    }

    private static func match(_ capture: Bitmap, in rect: PixelRect, _ offsetX: Int, _ offsetY: Int) -> Double {
        let rows = capture.rows
        var count = 0
        for y in rect.y..<rect.y + rect.height {
            let row = rows.row(y, as: RGBA8.self)
            for x in rect.x..<rect.x + rect.width where isColor(row[x], color(x + offsetX, y + offsetY)) { count += 1 }
        }
        return Double(count) / Double(rect.width * rect.height)
    }

    /// Whether it is that colour as a JPEG has it: less than a step off.
    private static func isColor(_ pixel: RGBA8, _ color: RGBA8) -> Bool {
        abs(Int(pixel.red) - Int(color.red)) < 4 && abs(Int(pixel.green) - Int(color.green)) < 4
            && abs(Int(pixel.blue) - Int(color.blue)) < 6
    }
}
