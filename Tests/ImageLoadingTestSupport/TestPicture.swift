package import Foundation
package import ImageFormats
package import Raster

/// Pictures and files that tests make themselves, the same in every run.
package enum TestPicture {
    /// A picture whose every pixel differs from its neighbours, shifted by `seed`; half-transparent where it has alpha.
    package static func bitmap(
        _ width: Int, _ height: Int, alpha: AlphaMode = .none, seed: Int = 0
    ) throws -> Bitmap {
        let info = BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8, alpha: alpha)
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width {
                let (red, green, blue) = ((x * 5 + seed) & 127, (y * 7 + seed) & 127, (x * y + seed * 3) & 127)
                row[x] = RGBA8(UInt8(red), UInt8(green), UInt8(blue), alpha.hasAlpha ? 128 : 255)
            }
        }
        return bitmap.freeze()
    }

    /// A file of the picture.
    package static func file(
        _ format: ImageFormat, _ bitmap: Bitmap, options: EncodingOptions = EncodingOptions()
    ) throws -> Data {
        Data(try ImageDestination(format: format, options: options).encode(bitmap))
    }

    /// A JPEG of ten scans.
    package static func progressiveJPEG(
        _ width: Int = 96, _ height: Int = 64, orientation: Orientation = .up
    ) throws -> Data {
        let options = EncodingOptions(
            metadata: ImageMetadata(orientation: orientation), jpeg: .init(isProgressive: true))
        return try file(.jpeg, bitmap(width, height), options: options)
    }

    /// A file of `count` frames of 0.1, 0.2, … seconds, played three times.
    package static func animation(
        _ format: ImageFormat = .gif, count: Int = 4, width: Int = 24, height: Int = 16
    ) throws -> Data {
        let buffer = ByteBuffer()
        let destination = try ImageDestination(format: format, options: EncodingOptions(loopCount: 3))
        try destination.encode(count: count, to: buffer) { (index) throws(ImageError) in
            (try Self.frame(index, width, height), Double(index + 1) / 10)
        }
        return Data(buffer.bytes)
    }

    /// A frame of one colour, which every format keeps.
    private static func frame(_ index: Int, _ width: Int, _ height: Int) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width { row[x] = frameColor(index) }
        }
        return bitmap.freeze()
    }

    /// The colour of an animation's frame.
    package static func frameColor(_ index: Int) -> RGBA8 { RGBA8(UInt8(index * 40), 100, UInt8(200 - index * 40)) }
}

extension Bitmap {
    /// The pixel at (`x`, `y`) of a picture of RGBA8.
    package func pixel(_ x: Int, _ y: Int) -> RGBA8 {
        let row = rows.row(y, as: RGBA8.self)
        return row[x]
    }
}
