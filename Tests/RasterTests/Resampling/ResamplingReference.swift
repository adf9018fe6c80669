import Foundation
import Raster

/// The resampler once more in double precision, straight from the definitions: no tables, no rounding between.
enum ResamplingReference {
    static func resample(
        _ source: Bitmap, to size: PixelSize, region: PixelRegion, filter: ResamplingFilter, linearLight: Bool = false
    ) -> Samples {
        let samples = Samples(source)
        let channels = samples.channelCount
        let largest = source.format.bitsPerChannel == 8 ? 255.0 : 65535.0
        // As it is summed: stored values or light times alpha.
        var values = samples.values.map { Double($0) / largest }
        for start in stride(from: 0, to: values.count, by: channels) {
            let alpha = channels == 4 ? values[start + 3] : 1
            for channel in 0..<(channels == 4 ? 3 : 1) {
                var value = values[start + channel]
                if linearLight {
                    let straight = source.alpha == .premultiplied ? (alpha > 0 ? min(1, value / alpha) : 0) : value
                    value = TransferCurve.light(stored: straight) * alpha
                } else if source.alpha == .straight {
                    value *= alpha
                }
                values[start + channel] = value
            }
        }
        // Means of whole pixels first, as many as leave at least two for each new pixel.
        func box(_ step: Double) -> Int { filter == .area ? 1 : max(1, Int(step / 2)) }
        let across = box(region.width / Double(size.width))
        let down = box(region.height / Double(size.height))
        let (width, height) = ((source.width + across - 1) / across, (source.height + down - 1) / down)
        values = means(values, source.size, channels, across, down)
        let rows = weights(height, region.y / Double(down), region.height / Double(down), size.height, filter)
        let columns = weights(width, region.x / Double(across), region.width / Double(across), size.width, filter)
        var result: [Int] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                var sum = [Double](repeating: 0, count: channels)
                for (sy, wy) in rows[y] {
                    for (sx, wx) in columns[x] {
                        for channel in 0..<channels {
                            sum[channel] += values[(sy * width + sx) * channels + channel] * wy * wx
                        }
                    }
                }
                result += stored(sum, source.alpha, largest, linearLight)
            }
        }
        return Samples(size: size, channelCount: channels, values: result)
    }

    /// The means of `across` × `down` pixels, at the right and at the bottom of those that are left.
    private static func means(
        _ values: [Double], _ size: PixelSize, _ channels: Int, _ across: Int, _ down: Int
    ) -> [Double] {
        guard across > 1 || down > 1 else { return values }
        var result: [Double] = []
        for top in stride(from: 0, to: size.height, by: down) {
            for left in stride(from: 0, to: size.width, by: across) {
                let (bottom, right) = (min(top + down, size.height), min(left + across, size.width))
                for channel in 0..<channels {
                    var sum = 0.0
                    for y in top..<bottom {
                        for x in left..<right { sum += values[(y * size.width + x) * channels + channel] }
                    }
                    result.append(sum / Double((bottom - top) * (right - left)))
                }
            }
        }
        return result
    }

    private static func stored(_ sum: [Double], _ mode: AlphaMode, _ largest: Double, _ linearLight: Bool) -> [Int] {
        func limited(_ value: Double) -> Int { Int((max(0, min(1, value)) * largest).rounded()) }
        let alpha = sum.count == 4 ? max(0, min(1, sum[3])) : 1
        if limited(alpha) == 0 { return [0, 0, 0, 0] }
        var result = sum.prefix(3).map { value in
            if linearLight {
                let straight = TransferCurve.stored(light: max(0, min(1, value / alpha)))
                return limited(mode == .premultiplied ? straight * alpha : straight)
            }
            return limited(mode == .straight ? value / alpha : min(value, alpha))
        }
        if sum.count == 4 { result.append(limited(alpha)) }
        return result
    }

    private static func weights(
        _ count: Int, _ start: Double, _ extent: Double, _ targets: Int, _ filter: ResamplingFilter
    ) -> [[(Int, Double)]] {
        let step = extent / Double(targets)
        return (0..<targets).map { target in
            let from = start + Double(target) * step
            let pairs: [(Int, Double)] = (0..<count).map { index in
                let place = Double(index)
                if filter == .area {
                    return (index, max(0, min(from + step, place + 1) - max(from, place)))
                }
                let x = abs(place + 0.5 - from - step / 2) / max(step, 1)
                func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
                switch filter {
                case .bilinear: return (index, max(0, 1 - x))
                case .bicubic:
                    let a = -0.5
                    let near = (a + 2) * x * x * x - (a + 3) * x * x + 1
                    let far = a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a
                    return (index, x <= 1 ? near : x < 2 ? far : 0)
                case .mitchell:
                    let (b, c) = (1.0 / 3, 1.0 / 3)
                    let near = (12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b
                    let far =
                        (-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x - (12 * b + 48 * c) * x + 8 * b + 24 * c
                    return (index, (x < 1 ? near : x < 2 ? far : 0) / 6)
                default: return (index, x < 3 ? sinc(x) * sinc(x / 3) : 0)
                }
            }
            let sum = pairs.map(\.1).reduce(0, +)
            return pairs.filter { $0.1 != 0 }.map { ($0.0, $0.1 / sum) }
        }
    }
}
