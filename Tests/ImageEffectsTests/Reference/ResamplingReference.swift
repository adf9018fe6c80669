import Foundation
import Raster

extension ReferencePicture {
    /// The picture at another size, in double precision and straight from the definitions of the filters.
    func resampled(
        to size: PixelSize, region: PixelRegion? = nil, filter: ResamplingFilter = .automatic, linearLight: Bool = false
    ) -> ReferencePicture {
        let source = linearLight ? light() : self
        let region = region ?? PixelRegion(x: 0, y: 0, width: Double(width), height: Double(height))
        let columns = Self.weights(width, region.x, region.width, size.width, filter)
        let rows = Self.weights(height, region.y, region.height, size.height, filter)
        let across = ReferencePicture(width: size.width, height: height) { x, y in
            columns[x].reduce(.zero) { $0 + source[$1.index, y] * $1.weight }
        }
        let result = ReferencePicture(width: size.width, height: size.height) { x, y in
            rows[y].reduce(.zero) { $0 + across[x, $1.index] * $1.weight }
        }
        return linearLight ? result.stored() : result
    }

    /// For each of `targets` new pixels, which old ones count and how much.
    private static func weights(
        _ count: Int, _ start: Double, _ extent: Double, _ targets: Int, _ filter: ResamplingFilter
    ) -> [[(index: Int, weight: Double)]] {
        let step = extent / Double(targets)
        return (0..<targets).map { target in
            let from = start + Double(target) * step
            let pairs: [(index: Int, weight: Double)] = (0..<count).map { index in
                if filter == .area || (filter == .automatic && step >= 1) {
                    return (index, max(0, min(from + step, Double(index + 1)) - max(from, Double(index))))
                }
                let distance = (Double(index) + 0.5 - from - step / 2) / max(step, 1)
                return (index, value(filter == .automatic ? .lanczos3 : filter, distance))
            }
            let sum = pairs.reduce(0) { $0 + $1.weight }
            return pairs.filter { $0.weight != 0 }.map { ($0.index, $0.weight / sum) }
        }
    }

    /// A filter's value so many pixels from its centre.
    static func value(_ filter: ResamplingFilter, _ distance: Double) -> Double {
        let x = abs(distance)
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        switch filter {
        case .bilinear, .area: return max(0, 1 - x)
        case .lanczos3, .automatic: return x < 3 ? sinc(x) * sinc(x / 3) : 0
        case .bicubic:
            let a = -0.5
            if x <= 1 { return (a + 2) * x * x * x - (a + 3) * x * x + 1 }
            return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0
        }
    }
}
