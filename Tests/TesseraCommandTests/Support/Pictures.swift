import Foundation
import SamplePictures
import Raster
import Tessera

/// Small pictures for files that tests start from.
enum Pictures {
    /// A cut-out with soft alpha, 48 pixels wide and 32 high.
    static func cutout(_ size: PixelSize = PixelSize(width: 48, height: 32)) throws -> Bitmap {
        try SamplePicture.fruit.makeBitmap(size: size)
    }

    /// A picture without alpha, 60 pixels wide and 40 high.
    static func photograph(_ size: PixelSize = PixelSize(width: 60, height: 40)) throws -> Bitmap {
        try SamplePicture.valley.makeBitmap(size: size)
    }
}

extension Bitmap {
    /// The picture as a file's bytes.
    func file(_ format: ImageFormat, _ options: EncodingOptions = EncodingOptions()) throws -> [UInt8] {
        try ImageDestination(format: format, options: options).encode(self)
    }
}

extension Pictures {
    /// A picture of one colour, 8 pixels wide and high: next to nothing as a PNG.
    static func flat() throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 8, height: 8), format: .rgba8, alpha: .straight))
        var rows = bitmap.mutableRows
        for y in 0..<8 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<8 { row[x] = RGBA8(200, 30, 30, 128) }
        }
        return bitmap.freeze()
    }
}

extension Pictures {
    /// A grey ramp from black at the left to white at the right, 16 pixels wide and 4 high.
    static func mask() throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 16, height: 4), format: .gray8, alpha: .none))
        var rows = bitmap.mutableRows
        for y in 0..<4 {
            var row = rows.row(y, as: Gray8.self)
            for x in 0..<16 { row[x] = Gray8(UInt8(x * 17)) }
        }
        return bitmap.freeze()
    }
}

extension Bitmap {
    /// How far the colours of two pictures of one size are apart, in steps of 8 bits, averaged over all pixels.
    func meanDifference(from other: Bitmap) throws -> Double {
        guard info.size == other.info.size else { return .infinity }
        let (one, other) = try (converted(to: .rgba8, alpha: .straight), other.converted(to: .rgba8, alpha: .straight))
        var sum = 0
        for y in 0..<info.size.height {
            let (a, b) = (one.rows.row(y, as: RGBA8.self), other.rows.row(y, as: RGBA8.self))
            for x in 0..<info.size.width {
                sum += abs(Int(a[x].red) - Int(b[x].red)) + abs(Int(a[x].green) - Int(b[x].green))
                sum += abs(Int(a[x].blue) - Int(b[x].blue))
            }
        }
        return Double(sum) / Double(3 * info.size.width * info.size.height)
    }
}

extension Pictures {
    /// A picture of one colour.
    static func plain(_ color: RGBA8, _ size: PixelSize) throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .straight))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width { row[x] = color }
        }
        return bitmap.freeze()
    }
}

extension Bitmap {
    /// The pixel at a place, of a bitmap of RGBA.
    func pixel(_ x: Int, _ y: Int) -> RGBA8 { rows.row(y, as: RGBA8.self)[x] }
}
