import Raster

extension Bitmap {
    /// A picture of RGBA whose every pixel's channels `pixel` tells by column and row.
    init(_ info: BitmapInfo, pixel: (Int, Int) throws -> [Int]) throws {
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        for y in 0..<info.size.height {
            if info.format == .rgba16 {
                var row = rows.row(y, as: RGBA16.self)
                for x in row.indices {
                    let v = try pixel(x, y).map { UInt16($0) }
                    row[x] = RGBA16(v[0], v[1], v[2], v[3])
                }
            } else {
                var row = rows.row(y, as: RGBA8.self)
                for x in row.indices {
                    let v = try pixel(x, y).map { UInt8($0) }
                    row[x] = RGBA8(v[0], v[1], v[2], v[3])
                }
            }
        }
        self = bitmap.freeze()
    }

    /// The four channels of the pixel at (`x`, `y`) of a picture of RGBA.
    func channels(_ x: Int, _ y: Int) -> [Int] {
        if format == .rgba16 {
            let pixel = rows.row(y, as: RGBA16.self)[x]
            return [Int(pixel.red), Int(pixel.green), Int(pixel.blue), Int(pixel.alpha)]
        }
        let pixel = rows.row(y, as: RGBA8.self)[x]
        return [Int(pixel.red), Int(pixel.green), Int(pixel.blue), Int(pixel.alpha)]
    }

    /// What every effect's result has to be: opaque with every alpha full, or premultiplied with no colour above its
    /// alpha.
    var keepsItsWord: Bool {
        let largest = format.bitsPerChannel == 16 ? 65535 : 255
        for y in 0..<height {
            for x in 0..<width {
                let pixel = channels(x, y)
                guard alpha == .none ? pixel[3] == largest : pixel.max()! == pixel[3] else { return false }
            }
        }
        return alpha != .straight
    }
}
