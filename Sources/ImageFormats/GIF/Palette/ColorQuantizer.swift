internal import Raster

/// Chooses palette colours so that pixels drawn with the nearest one have a small squared error.
///
/// First splits boxes of colours where that reduces the error most (Wu, "Color quantization by dynamic programming and
/// principal analysis", 1992, along each of the three axes), then moves each colour to the mean of the colours nearest
/// to it (Lloyd's iteration).
struct ColorQuantizer {
    private struct Box {
        var range: Range<Int>
        /// The error reduction of the best cut, its axis, and the first value after it.
        var gain: Double
        var axis: Int
        var cut: Int
    }

    private static let iterationCount = 12

    private var bins: [ColorHistogram.Bin]

    /// A quantizer for the colours of `histogram`, which must not be empty.
    init(_ histogram: ColorHistogram) {
        bins = histogram.bins
        precondition(!bins.isEmpty)
    }

    /// At most `count` distinct opaque colours.
    mutating func palette(count: Int) -> [RGBA8] {
        var boxes = [box(0..<bins.count)]
        while boxes.count < count {
            let widest = boxes.indices.max { boxes[$0].gain < boxes[$1].gain }!
            let chosen = boxes[widest]
            guard chosen.gain > 0 else { break }
            let middle = bins[chosen.range].partition { Self.value($0, chosen.axis) >= chosen.cut }
            boxes[widest] = box(chosen.range.lowerBound..<middle)
            boxes.append(box(middle..<chosen.range.upperBound))
        }
        var palette = boxes.map { Self.pixel(mean($0.range)) }
        for _ in 0..<Self.iterationCount {
            let next = refined(palette)
            if next == palette { break }
            palette = next
        }
        var seen: Set<RGBA8> = []
        return palette.filter { seen.insert($0).inserted }
    }

    private func mean(_ range: Range<Int>) -> SIMD4<Float> {
        var (sum, weight) = (SIMD4<Float>.zero, Float.zero)
        for index in range {
            sum += bins[index].color * bins[index].weight
            weight += bins[index].weight
        }
        return sum / weight
    }

    private static func pixel(_ color: SIMD4<Float>) -> RGBA8 {
        let rounded = color.rounded(.toNearestOrAwayFromZero).clamped(
            lowerBound: .zero, upperBound: SIMD4(repeating: 255))
        return RGBA8(UInt8(rounded.x), UInt8(rounded.y), UInt8(rounded.z))
    }

    /// The value of a bin's colour along `axis`, 0 to 255.
    private static func value(_ bin: ColorHistogram.Bin, _ axis: Int) -> Int {
        Int(bin.color[axis].rounded(.toNearestOrAwayFromZero))
    }

    /// The box of the bins in `range`, with the cut that reduces its error most.
    private func box(_ range: Range<Int>) -> Box {
        // For each axis and value, the pixel-weighted sum of colours, with the pixel count as fourth element. In
        // doubles, as the sums exceed the integers that a Float represents exactly.
        var sums = [SIMD4<Double>](repeating: .zero, count: 3 * 256)
        var total = SIMD4<Double>.zero
        for bin in bins[range] {
            var sum = SIMD4<Double>(bin.color)
            sum.w = 1
            sum *= Double(bin.weight)
            total += sum
            for axis in 0..<3 { sums[axis << 8 | Self.value(bin, axis)] += sum }
        }
        // The error of a set is its sum of squares minus this; the sum of squares is the same for every cut.
        func share(_ sum: SIMD4<Double>) -> Double {
            (sum * sum * SIMD4(1, 1, 1, 0)).sum() / sum.w
        }
        var best = Box(range: range, gain: 0, axis: 0, cut: 0)
        let whole = share(total)
        for axis in 0..<3 {
            var left = SIMD4<Double>.zero
            for value in 0..<255 {
                let sum = sums[axis << 8 | value]
                guard sum.w > 0 else { continue }
                left += sum
                let right = total - left
                guard right.w > 0.5 else { break }
                let gain = share(left) + share(right) - whole
                if gain > best.gain { best = Box(range: range, gain: gain, axis: axis, cut: value + 1) }
            }
        }
        return best
    }

    /// The mean of the colours nearest to each colour of `palette`.
    private func refined(_ palette: [RGBA8]) -> [RGBA8] {
        var nearest = NearestColor(palette)
        var sums = [SIMD4<Double>](repeating: .zero, count: palette.count)
        var weights = [Double](repeating: 0, count: palette.count)
        for bin in bins {
            let index = nearest.index(of: SIMD4<Int32>(bin.color, rounding: .toNearestOrAwayFromZero))
            sums[index] += SIMD4<Double>(bin.color) * Double(bin.weight)
            weights[index] += Double(bin.weight)
        }
        return palette.indices.map { index in
            weights[index] > 0 ? Self.pixel(SIMD4<Float>(sums[index] / weights[index])) : palette[index]
        }
    }
}

/// Counts colours, combining those that agree in the upper six bits of each channel.
struct ColorHistogram {
    /// A group of similar colours.
    struct Bin {
        /// Red, green and blue of their mean, from 0 to 255; the fourth element is 0.
        var color: SIMD4<Float>
        /// The number of pixels.
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

    /// The groups that occur.
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
