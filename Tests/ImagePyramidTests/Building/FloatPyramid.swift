import ImageFormats
import Raster

import ImagePyramid

/// Levels of a picture in floating point, never rounded: the mean of premultiplied pixels, edges repeated.
struct FloatPyramid {
    var levels: [(size: PixelSize, samples: [Double])]

    /// The levels of pixels with straight alpha.
    init(_ pixels: [RGBA8], size: PixelSize, count: Int) {
        var samples: [Double] = []
        for pixel in pixels {
            let alpha = Double(pixel.alpha) / 255
            samples += [Double(pixel.red) * alpha, Double(pixel.green) * alpha, Double(pixel.blue) * alpha]
            samples.append(Double(pixel.alpha))
        }
        levels = [(size, samples)]
        while levels.count < count { levels.append(Self.half(of: levels[levels.count - 1])) }
    }

    private static func half(of level: (size: PixelSize, samples: [Double])) -> (size: PixelSize, samples: [Double]) {
        let (size, samples) = level
        let half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        var result: [Double] = []
        result.reserveCapacity(4 * half.pixelCount)
        for y in 0..<half.height {
            let (upper, lower) = (2 * y * size.width, min(2 * y + 1, size.height - 1) * size.width)
            for x in 0..<half.width {
                let (left, right) = (2 * x, min(2 * x + 1, size.width - 1))
                for channel in 0..<4 {
                    let above = samples[4 * (upper + left) + channel] + samples[4 * (upper + right) + channel]
                    let below = samples[4 * (lower + left) + channel] + samples[4 * (lower + right) + channel]
                    result.append((above + below) / 4)
                }
            }
        }
        return (half, result)
    }

    /// How far the furthest premultiplied sample of straight `pixels` is from a level's.
    func largestDifference(_ level: Int, _ pixels: [RGBA8]) -> Double {
        var largest = 0.0
        for (index, pixel) in pixels.enumerated() {
            let alpha = Double(pixel.alpha) / 255
            let own = [
                Double(pixel.red) * alpha, Double(pixel.green) * alpha, Double(pixel.blue) * alpha,
                Double(pixel.alpha),
            ]
            for channel in 0..<4 {
                largest = max(largest, abs(own[channel] - levels[level].samples[4 * index + channel]))
            }
        }
        return largest
    }

    /// The mean square of the differences of opaque `pixels` from a level.
    func error(_ level: Int, _ pixels: [RGBA8]) -> Double {
        var sum = 0.0
        let samples = levels[level].samples
        for (index, pixel) in pixels.enumerated() {
            let own = [Double(pixel.red), Double(pixel.green), Double(pixel.blue)]
            for channel in 0..<3 {
                let difference = own[channel] - samples[4 * index + channel]
                sum += difference * difference
            }
        }
        return sum / Double(3 * pixels.count)
    }

    /// The levels, rounded once, as JPEG tiles by the ordinary encoder. Opaque only.
    func tiles(_ geometry: PyramidGeometry, _ options: EncodingOptions) throws -> MemoryTiles {
        let destination = try ImageDestination(format: .jpeg, options: options)
        let tiles = MemoryTiles(geometry)
        for level in geometry.levels.indices {
            for row in 0..<geometry.rowCount(level) {
                for column in 0..<geometry.columnCount(level) {
                    let address = TileAddress(level: level, column: column, row: row)
                    let file = try destination.encode(rounded(level, geometry.rect(of: address)))
                    try tiles.write(file.span.bytes, at: address)
                }
            }
        }
        return tiles
    }

    private func rounded(_ level: Int, _ rect: PixelRect) throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: rect.size, format: .rgba8))
        fill(&bitmap, level, rect)
        return bitmap.freeze()
    }

    private func fill(_ bitmap: inout MutableBitmap, _ level: Int, _ rect: PixelRect) {
        let (size, samples) = levels[level]
        var rows = bitmap.mutableRows
        for y in 0..<rect.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<rect.width {
                let at = 4 * ((rect.y + y) * size.width + rect.x + x)
                row[x] = RGBA8(
                    UInt8(samples[at].rounded()), UInt8(samples[at + 1].rounded()), UInt8(samples[at + 2].rounded()))
            }
        }
    }
}
