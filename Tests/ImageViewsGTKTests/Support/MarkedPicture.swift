import ImageFormats
import Raster

/// A picture each of whose pixels says where it is.
enum MarkedPicture {
    /// Up to 4096 pixels wide and high: 12 bits for each coordinate.
    static func make(_ size: PixelSize) throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width {
                row[x] = RGBA8(UInt8(x & 255), UInt8(y & 255), UInt8((x >> 8) << 4 | (y >> 8)))
            }
        }
        return bitmap.freeze()
    }

    static func place(of pixel: RGBA8) -> (x: Int, y: Int) {
        (Int(pixel.red) | Int(pixel.blue >> 4) << 8, Int(pixel.green) | Int(pixel.blue & 15) << 8)
    }

    /// How many pixels of `rect` in a capture are those that follow on the one in its corner, as at one to one.
    static func match(_ capture: Bitmap, in rect: PixelRect) -> Double {
        let rows = capture.rows
        let first = place(of: rows.row(rect.y, as: RGBA8.self)[rect.x])
        var count = 0
        for y in 0..<rect.height {
            let row = rows.row(rect.y + y, as: RGBA8.self)
            for x in 0..<rect.width {
                let place = place(of: row[rect.x + x])
                if place.x == first.x + x, place.y == first.y + y { count += 1 }
            }
        }
        return Double(count) / Double(rect.width * rect.height)
    }
}

extension Bitmap {
    func pixel(_ x: Int, _ y: Int) -> RGBA8 { rows.row(y, as: RGBA8.self)[x] }

    /// Whether the pixel is that colour, or no more than two steps from it in each channel.
    func isColor(_ color: RGBA8, atX x: Int, y: Int) -> Bool {
        let pixel = pixel(x, y)
        return [(pixel.red, color.red), (pixel.green, color.green), (pixel.blue, color.blue)]
            .allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }
}
