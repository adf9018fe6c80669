package import Raster

extension Bitmap {
    /// An image of one colour.
    package static func plain(_ color: RGBA8, _ size: PixelSize, alpha: AlphaMode = .none) throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: alpha))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width { row[x] = color }
        }
        return bitmap.freeze()
    }

    /// Pixels that all differ, as far as a byte can tell.
    package static func pattern(
        _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, alpha: AlphaMode = .straight,
        profile: ColorProfile = .sRGB, seed: Int = 0
    ) throws -> Bitmap {
        let info = BitmapInfo(
            size: PixelSize(width: width, height: height), format: format, alpha: alpha, profile: profile)
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.bytes(y)
            for index in 0..<row.byteCount {
                let isAlpha = !format.isGray && index % format.bytesPerPixel >= 3 * format.bitsPerChannel / 8
                let value = isAlpha && alpha == .none ? 255 : (y * 57 + index * 31 + seed) % 251
                row.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
            }
        }
        return bitmap.freeze()
    }

    /// An opaque picture with edges, gradients and some grain, of gray8 or rgba8, the same in every run.
    package static func grainy(
        _ size: PixelSize, format: PixelFormat = .rgba8, profile: ColorProfile = .sRGB
    ) throws -> Bitmap {
        let bytes = grainySamples(size)
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: format, profile: profile))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            for x in 0..<size.width {
                let at = (y * size.width + x) * 4
                if format.isGray {
                    var row = rows.row(y, as: Gray8.self)
                    row[x] = Gray8(bytes[at + 1])
                } else {
                    var row = rows.row(y, as: RGBA8.self)
                    row[x] = RGBA8(bytes[at], bytes[at + 1], bytes[at + 2])
                }
            }
        }
        return bitmap.freeze()
    }

    /// The same picture's R, G, B (or C, M, Y) and `fourth`, pixel after pixel.
    package static func grainySamples(_ size: PixelSize, fourth: UInt8 = 255) -> [UInt8] {
        var (bytes, noise): ([UInt8], UInt32) = ([], 1)
        for y in 0..<size.height {
            for x in 0..<size.width {
                noise = noise &* 1_664_525 &+ 1_013_904_223
                let grain = Int(noise >> 28)
                let (right, below) = (x - size.width / 2, y - size.height / 3)
                let isInside = right * right + below * 3 < 400
                let red = UInt8((x * 3 + grain) & 255)
                let green = isInside ? 220 : UInt8((y * 5 + grain) & 255)
                let blue = isInside ? 30 : UInt8((x + y) & 255)
                bytes += [red, green, blue, fourth]
            }
        }
        return bytes
    }
}
