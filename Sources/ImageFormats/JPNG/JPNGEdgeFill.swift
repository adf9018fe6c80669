internal import Raster

/// Chooses the colours of fully transparent pixels, so that the JPEG is small and its edges are clean.
///
/// The JPEG codes whole blocks, including invisible pixels. In a block with an edge, the visible pixels' colour is
/// spread smoothly over the rest. A block without a visible pixel repeats the mean of the block before it, which costs
/// next to nothing because means are coded as differences. Visible pixels aren't changed.
struct JPNGEdgeFill {
    /// The size of the JPEG's minimum coded unit in pixels.
    private let unit: PixelSize
    /// The fill for a unit without a visible pixel: the mean of the last unit. A JPEG's first unit is coded relative to
    /// mid-grey.
    private var mean = RGBA8(128, 128, 128)
    private var light: [SIMD4<Float>]
    private var hidden: [Bool]

    /// The number of sweeps over a unit; further ones change colours by less than the coarsest quantiser's step.
    private static let sweeps = 10

    /// Creates a fill for units of this size; rows arrive in strips of a unit's height.
    init(unit: PixelSize) {
        self.unit = unit
        light = [SIMD4<Float>](repeating: SIMD4(), count: unit.pixelCount)
        hidden = [Bool](repeating: false, count: unit.pixelCount)
    }

    /// Fills a strip of `RGBA8` rows with straight alpha: a unit's height, or less at the image's end.
    mutating func fill(_ rows: inout MutablePixelRows) {
        var left = 0
        while left < rows.width {
            let width = min(unit.width, rows.width - left)
            let visible = countVisible(rows, left: left, width: width)
            if visible == 0 {
                flood(&rows, left: left, width: width)
            } else {
                if visible < width * rows.count { spread(&rows, left: left, width: width) }
                // Needed only where the next unit, in this strip or the next, is transparent.
                let next = left + width
                if next >= rows.width || countVisible(rows, left: next, width: min(unit.width, rows.width - next)) == 0
                {
                    mean = lastMean(rows, left: left, width: width)
                }
            }
            left += width
        }
    }

    private func countVisible(_ rows: borrowing MutablePixelRows, left: Int, width: Int) -> Int {
        var visible = 0
        for y in 0..<rows.count {
            let row = rows.readOnly.row(y, as: RGBA8.self)
            for x in left..<(left + width) { visible += row[x].alpha == 0 ? 0 : 1 }
        }
        return visible
    }

    private func flood(_ rows: inout MutablePixelRows, left: Int, width: Int) {
        let color = RGBA8(mean.red, mean.green, mean.blue, 0)
        for y in 0..<rows.count {
            var row = rows.row(y, as: RGBA8.self)
            for x in left..<(left + width) { row[x] = color }
        }
    }

    /// The colour whose flat unit has the coefficients that the next unit is coded relative to: the luma of the last
    /// 8 × 8 block and the chroma of the whole unit.
    private func lastMean(_ rows: borrowing MutablePixelRows, left: Int, width: Int) -> RGBA8 {
        func mean(_ x: Range<Int>, _ y: Range<Int>) -> SIMD3<Float> {
            var sum = SIMD3<Int32>()
            for y in y {
                let row = rows.readOnly.row(y, as: RGBA8.self)
                for x in x { sum &+= SIMD3(Int32(row[x].red), Int32(row[x].green), Int32(row[x].blue)) }
            }
            return SIMD3<Float>(Float(sum.x), Float(sum.y), Float(sum.z)) / Float(x.count * y.count)
        }
        func brightness(_ color: SIMD3<Float>) -> Float { 0.299 * color.x + 0.587 * color.y + 0.114 * color.z }
        let all = mean(left..<(left + width), 0..<rows.count)
        let last = mean(max(left, left + width - 8)..<(left + width), max(0, rows.count - 8)..<rows.count)
        let color = all + (brightness(last) - brightness(all))
        func byte(_ value: Float) -> UInt8 { UInt8(min(255, max(0, value.rounded()))) }
        return RGBA8(byte(color.x), byte(color.y), byte(color.z), 0)
    }

    /// Diffuses the visible pixels' colour into the hidden ones, which start at the mean weighted by alpha.
    private mutating func spread(_ rows: inout MutablePixelRows, left: Int, width: Int) {
        let height = rows.count
        var sum = SIMD4<Float>()
        for y in 0..<height {
            let row = rows.readOnly.row(y, as: RGBA8.self)
            for x in 0..<width {
                let pixel = row[left + x]
                let color = SIMD4<Float>(Float(pixel.red), Float(pixel.green), Float(pixel.blue), 1)
                light[y * width + x] = color
                hidden[y * width + x] = pixel.alpha == 0
                sum += color * Float(pixel.alpha)
            }
        }
        let mean = sum / sum.w
        for index in 0..<(width * height) where hidden[index] { light[index] = mean }
        Self.diffuse(&light, hidden, width: width, height: height)
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width where hidden[y * width + x] {
                // A mean of bytes fits in a byte.
                let color = light[y * width + x] + 0.5
                row[left + x] = RGBA8(UInt8(color.x), UInt8(color.y), UInt8(color.z), 0)
            }
        }
    }

    /// Gauss-Seidel iteration for Laplace's equation, alternately forwards and backwards, with a closed border.
    private static func diffuse(_ values: inout [SIMD4<Float>], _ hiddenPixels: [Bool], width: Int, height: Int) {
        var light = values.mutableSpan
        let hidden = hiddenPixels.span
        for sweep in 0..<sweeps {
            let isForward = sweep.isMultiple(of: 2)
            for step in 0..<(width * height) {
                let index = isForward ? step : width * height - 1 - step
                guard hidden[index] else { continue }
                let (x, y) = (index % width, index / width)
                let sideways = light[x > 0 ? index - 1 : index] + light[x < width - 1 ? index + 1 : index]
                let upwards = light[y > 0 ? index - width : index] + light[y < height - 1 ? index + width : index]
                light[index] = (sideways + upwards) * 0.25
            }
        }
    }
}
