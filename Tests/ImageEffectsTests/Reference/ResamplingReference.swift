import Foundation
import Raster

extension ReferencePicture {
    /// The picture at another size, in double precision and straight from the definitions of the filters.
    func resampled(
        to size: PixelSize, region: PixelRegion? = nil, filter: ResamplingFilter = .automatic, linearLight: Bool = false
    ) -> ReferencePicture {
        var region = region ?? PixelRegion(x: 0, y: 0, width: Double(width), height: Double(height))
        // Means of whole pixels first, as many as leave at least two for each new pixel.
        func box(_ step: Double) -> Int { filter == .area ? 1 : max(1, Int(step / 2)) }
        let (right, down) = (box(region.width / Double(size.width)), box(region.height / Double(size.height)))
        let source = (linearLight ? light() : self).means(of: right, by: down)
        region = PixelRegion(
            x: region.x / Double(right), y: region.y / Double(down), width: region.width / Double(right),
            height: region.height / Double(down))
        let columns = Self.weights(source.width, region.x, region.width, size.width, filter)
        let rows = Self.weights(source.height, region.y, region.height, size.height, filter)
        let across = ReferencePicture(width: size.width, height: source.height) { x, y in
            columns[x].reduce(.zero) { $0 + source[$1.index, y] * $1.weight }
        }
        let result = ReferencePicture(width: size.width, height: size.height) { x, y in
            rows[y].reduce(.zero) { $0 + across[x, $1.index] * $1.weight }
        }
        return linearLight ? result.stored() : result
    }

    /// The means of `across` × `down` pixels, at the right and at the bottom of those that are left.
    private func means(of across: Int, by down: Int) -> ReferencePicture {
        guard across > 1 || down > 1 else { return self }
        return ReferencePicture(width: (width - 1) / across + 1, height: (height - 1) / down + 1) { x, y in
            let columns = (x * across)..<min(width, (x + 1) * across)
            let rows = (y * down)..<min(height, (y + 1) * down)
            let sum = rows.reduce(.zero) { sum, row in columns.reduce(sum) { $0 + self[$1, row] } }
            return sum / Double(rows.count * columns.count)
        }
    }

    /// For each of `targets` new pixels, which old ones count and how much.
    private static func weights(
        _ count: Int, _ start: Double, _ extent: Double, _ targets: Int, _ filter: ResamplingFilter
    ) -> [[(index: Int, weight: Double)]] {
        let step = extent / Double(targets)
        return (0..<targets).map { target in
            let from = start + Double(target) * step
            let pairs: [(index: Int, weight: Double)] = (0..<count).map { index in
                if filter == .area {
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
        case .mitchell:
            let (b, c) = (1.0 / 3, 1.0 / 3)
            let near = (12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b
            let far = (-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x - (12 * b + 48 * c) * x + 8 * b + 24 * c
            return (x < 1 ? near : x < 2 ? far : 0) / 6
        case .bicubic:
            let a = -0.5
            if x <= 1 { return (a + 2) * x * x * x - (a + 3) * x * x + 1 }
            return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0
        }
    }
}
