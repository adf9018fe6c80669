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
        let rows = weights(source.height, region.y, region.height, size.height, filter)
        let columns = weights(source.width, region.x, region.width, size.width, filter)
        var result: [Int] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                var sum = [Double](repeating: 0, count: channels)
                for (sy, wy) in rows[y] {
                    for (sx, wx) in columns[x] {
                        for channel in 0..<channels {
                            sum[channel] += values[(sy * source.width + sx) * channels + channel] * wy * wx
                        }
                    }
                }
                result += stored(sum, source.alpha, largest, linearLight)
            }
        }
        return Samples(size: size, channelCount: channels, values: result)
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
                if filter == .area || (filter == .automatic && step >= 1) {
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
                default: return (index, x < 3 ? sinc(x) * sinc(x / 3) : 0)
                }
            }
            let sum = pairs.map(\.1).reduce(0, +)
            return pairs.filter { $0.1 != 0 }.map { ($0.0, $0.1 / sum) }
        }
    }
}
