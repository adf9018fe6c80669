internal import Raster

/// How often colours occur: those that agree in the upper six bits of each channel are counted together, by their mean.
struct ColorHistogram {
    /// Some colours that are taken for one.
    struct Bin {
        /// Red, green and blue of their mean; the fourth value is 0.
        var color: SIMD4<Float>
        /// How many pixels have them.
        var weight: Float
    }

    private struct Sum {
        var count: UInt32 = 0
        var red: UInt64 = 0
        var green: UInt64 = 0
        var blue: UInt64 = 0
    }

    private var sums = [Sum](repeating: Sum(), count: 1 << 18)

    /// Counts a pixel.
    @inline(__always)
    mutating func add(_ pixel: RGBA8) {
        let index = Int(pixel.red >> 2) << 12 | Int(pixel.green >> 2) << 6 | Int(pixel.blue >> 2)
        sums[index].count &+= 1
        sums[index].red &+= UInt64(pixel.red)
        sums[index].green &+= UInt64(pixel.green)
        sums[index].blue &+= UInt64(pixel.blue)
    }

    /// What was counted.
    var bins: [Bin] {
        sums.compactMap { sum in
            guard sum.count > 0 else { return nil }
            let count = Float(sum.count)
            return Bin(
                color: SIMD4(Float(sum.red) / count, Float(sum.green) / count, Float(sum.blue) / count, 0),
                weight: count)
        }
    }
}
